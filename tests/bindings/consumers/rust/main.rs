// SPDX-License-Identifier: Apache-2.0

fn main() -> Result<(), karp::Error> {
    let mut input = karp::Input::new();
    for path in std::env::args().skip(1) {
        input = input.path(path);
    }
    for launch in input.read()?.plan(&karp::Options::default())?.launches()? {
        println!("{}", launch.instance_type);
    }
    Ok(())
}
