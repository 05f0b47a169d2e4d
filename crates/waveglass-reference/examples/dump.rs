//! Prints a card as JSON.
fn main() {
    let mut a = std::env::args().skip(1);
    let name = a.next().unwrap();
    let g = a.next().unwrap();
    let g = waveglass_reference::GENERATIONS
        .into_iter()
        .find(|x| x.name() == g)
        .unwrap();
    let c = waveglass_reference::catalogue();
    let card = waveglass_reference::Cards::new(g)
        .card(c.find(&name)[0])
        .unwrap();
    println!("{}", serde_json::to_string_pretty(&card).unwrap());
}
