// SPDX-License-Identifier: Apache-2.0

//! What the pending pods of some files need, what the cheapest nodes would cost, and what would be removed.

use karp::{Input, Method, Objective, Options};

fn report(paths: impl Iterator<Item = String>) -> Result<(), karp::Error> {
    let snapshot = paths.fold(Input::new(), |input, path| input.path(path)).read()?;
    let plan = snapshot.plan(&Options::default())?;
    let cheapest = snapshot.plan(&Options { objective: Some(Objective::default()), ..Options::default() })?;
    let removals = snapshot.disrupt(Method::Any, &Options::default())?;

    println!("{} nodes to launch", plan.launches()?.len());
    for pod in plan.unschedulable()? {
        println!("pending {} {}", pod.pod, pod.code);
    }
    if let Some(cost) = cheapest.cost() {
        println!("${:.4}/h, the cheapest ${:.4}/h", cost.compatible_cost, cost.cost);
    }
    println!("{} commands", removals.commands()?.len());
    println!("{}", plan.hash());
    Ok(())
}

fn main() {
    if let Err(error) = report(std::env::args().skip(1)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
