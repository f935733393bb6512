// SPDX-License-Identifier: Apache-2.0

// First plans for the files it is given.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"libkarp.dev/go/document"
)

func main() {
	log.SetFlags(0)
	input, err := document.Read(nil, os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	launches, err := plan.Launches()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range launches {
		fmt.Println(l.Choice.InstanceType)
	}
}
