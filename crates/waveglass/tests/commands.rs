//! What the commands print, as transcripts in `commands/`. `TRYCMD=overwrite cargo test -p
//! waveglass --test commands` writes them again.

#[test]
fn commands_print_what_the_transcripts_say() {
    trycmd::TestCases::new()
        .case("tests/commands/*.trycmd")
        .case("tests/commands/*.toml");
}
