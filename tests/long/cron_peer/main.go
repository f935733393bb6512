// SPDX-License-Identifier: Apache-2.0

// Reads lines "INSTANT<tab>EXPRESSION" and says what the parser that Karpenter uses makes of them.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		from, text, _ := strings.Cut(in.Text(), "\t")
		start, err := time.Parse(time.RFC3339, from)
		if err != nil {
			panic(err)
		}
		schedule, err := cron.ParseStandard("TZ=UTC " + text)
		if err != nil {
			fmt.Fprintf(out, "CRON \"%s\" error %v\n", text, err)
			continue
		}
		fmt.Fprintf(out, "CRON \"%s\" from %s: ", text, from)
		for i := 0; i < 4; i++ {
			start = schedule.Next(start)
			fmt.Fprintf(out, "%s ", start.UTC().Format(time.RFC3339))
			if start.IsZero() {
				break
			}
		}
		fmt.Fprintln(out)
	}
}
