// SPDX-License-Identifier: Apache-2.0

// What the pending pods of some files need, what the cheapest nodes would cost, and what would be removed.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

func report(paths ...string) error {
	ctx := context.Background()
	input, err := document.Read(nil, paths...)
	if err != nil {
		return err
	}
	defer input.Close()
	plan, err := input.Snapshot.Provision(ctx, nil)
	if err != nil {
		return err
	}
	defer plan.Close()
	cheapest, err := input.Snapshot.Provision(ctx, &karp.Options{Cost: true})
	if err != nil {
		return err
	}
	defer cheapest.Close()
	removals, err := input.Snapshot.Disrupt(ctx, nil)
	if err != nil {
		return err
	}
	defer removals.Close()

	launches, err := plan.Launches()
	if err != nil {
		return err
	}
	fmt.Println(len(launches), "nodes to launch")
	left, err := plan.Unschedulable()
	if err != nil {
		return err
	}
	for _, pod := range left {
		fmt.Println("pending", pod.Pod, pod.Code)
	}
	figures, err := cheapest.CostFigures()
	if err != nil {
		return err
	}
	fmt.Printf("$%.4f/h, the cheapest $%.4f/h\n", figures.CompatibleCost, figures.Cost)
	commands, err := removals.Commands()
	if err != nil {
		return err
	}
	fmt.Println(len(commands), "commands")
	hash, err := plan.Hash()
	if err != nil {
		return err
	}
	fmt.Println(hash)
	return nil
}

func main() {
	log.SetFlags(0)
	if err := report(os.Args[1:]...); err != nil {
		log.Fatal(err)
	}
}
