// Assembles each line of standard input, `CPU FILE REPETITIONS`, in this process, as llvm-mc does with
// -filetype=obj, into memory; prints the shortest time in seconds, or `error`.
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>
#include <iostream>
#include <string>

using namespace llvm;

// The processor's time that this thread has had, in seconds: others on the machine do not count.
static double now() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return T.tv_sec + T.tv_nsec * 1e-9;
}

static bool assembleOnce(const Target &T, const Triple &TT, const std::string &CPU, MemoryBuffer &Text) {
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(Text.getMemBufferRef()), SMLoc());
  Sources.setDiagHandler([](const SMDiagnostic &, void *) {});
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers(T.createMCRegInfo(TT));
  std::unique_ptr<MCAsmInfo> Info(T.createMCAsmInfo(*Registers, TT, Options));
  std::unique_ptr<MCSubtargetInfo> Subtarget(T.createMCSubtargetInfo(TT, CPU, ""));
  MCContext Context(TT, Info.get(), Registers.get(), Subtarget.get(), &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> File(T.createMCObjectFileInfo(Context, false, false));
  Context.setObjectFileInfo(File.get());
  std::unique_ptr<MCInstrInfo> Instructions(T.createMCInstrInfo());
  SmallVector<char, 0> Out;
  raw_svector_ostream Stream(Out);
  std::unique_ptr<MCAsmBackend> Backend(T.createMCAsmBackend(*Subtarget, *Registers, Options));
  std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(Stream);
  std::unique_ptr<MCCodeEmitter> Emitter(T.createMCCodeEmitter(*Instructions, Context));
  std::unique_ptr<MCStreamer> Streamer(T.createMCObjectStreamer(
      TT, Context, std::move(Backend), std::move(Writer), std::move(Emitter), *Subtarget));
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(Sources, Context, *Streamer, *Info));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      T.createMCAsmParser(*Subtarget, *Parser, *Instructions, Options));
  if (!TargetParser)
    return false;
  Parser->setTargetParser(*TargetParser);
  return !Parser->Run(false) && !Out.empty();
}

int main() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  Triple TT("amdgcn-amd-amdhsa");
  std::string Problem, CPU, Path;
  const Target *T = TargetRegistry::lookupTarget(TT, Problem);
  unsigned Times;
  while (std::cin >> CPU >> Times >> std::ws && std::getline(std::cin, Path)) {
    auto Text = MemoryBuffer::getFile(Path);
    double Best = 1e9;
    bool Good = T && Text;
    for (unsigned N = 0; Good && N < Times; ++N) {
      double Start = now();
      Good = assembleOnce(*T, TT, CPU, **Text);
      Best = std::min(Best, now() - Start);
    }
    if (Good)
      std::cout << Best << std::endl;
    else
      std::cout << "error" << std::endl;
  }
}
