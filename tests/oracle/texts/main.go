// SPDX-License-Identifier: Apache-2.0

// Texts makes random texts that look like quantities and versions, and says what Kubernetes' own code makes of each:
//
//	texts SEED COUNT
//
// A line is a kind and hexadecimal texts, then the answer. "quantity TEXT -" is not accepted, else the canonical text and the
// value follow. "version LENIENT TEXT TEXT" is followed by 0 or 1 for each of the two, and by their order where both are accepted.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/cel/library"
)

type maker struct{ *rand.Rand }

func (m maker) pick(from ...string) string { return from[m.Intn(len(from))] }

func (m maker) letters(from string, most int) string {
	text := make([]byte, m.Intn(most+1))
	for i := range text {
		text[i] = from[m.Intn(len(from))]
	}
	return string(text)
}

// damage takes, puts or changes a few characters.
func (m maker) damage(text, alphabet string) string {
	for m.Intn(3) == 0 {
		at := m.Intn(len(text) + 1)
		switch m.Intn(3) {
		case 0:
			text = text[:at] + string(alphabet[m.Intn(len(alphabet))]) + text[at:]
		case 1:
			if at < len(text) {
				text = text[:at] + text[at+1:]
			}
		default:
			if at < len(text) {
				text = text[:at] + string(alphabet[m.Intn(len(alphabet))]) + text[at+1:]
			}
		}
	}
	return text
}

func (m maker) digits() string {
	switch m.Intn(6) {
	case 0:
		return m.letters("0", 3)
	case 1:
		return m.letters("0", 3) + m.letters("0123456789", 6) + m.letters("0", 6)
	case 2:
		return m.letters("0123456789", 40)
	case 3:
		return strconv.FormatUint(m.Uint64(), 10)
	case 4:
		return strconv.FormatInt(1024<<uint(m.Intn(50)), 10)
	default:
		return m.letters("0123456789", 4)
	}
}

func (m maker) exponent() string {
	number := strconv.Itoa(m.Intn(80) - 40)
	switch m.Intn(12) {
	case 0:
		number = strconv.FormatInt(int64(m.Intn(60)-30)+int64(m.Intn(3)-1)<<32, 10) // Kubernetes keeps 32 bits
	case 1:
		number = m.letters("+-0123456789", 3)
	case 2:
		number = m.pick("9223372036854775807", "9223372036854775808", "99999999999999999999") + m.letters("0", 1)
	case 3:
		number = "+" + m.letters("0", 3) + strconv.Itoa(m.Intn(20))
	}
	return m.pick("e", "E") + number
}

func (m maker) quantity() string {
	const alphabet = "0123456789..+-eEinumkKMGTP k"
	if m.Intn(20) == 0 {
		return m.letters(alphabet, 6)
	}
	text := m.pick("", "", "", "-", "+") + m.digits()
	if m.Intn(2) == 0 {
		text += "." + m.digits()
	}
	switch m.Intn(4) {
	case 0:
		text += m.pick("n", "u", "m", "k", "M", "G", "T", "P", "E")
	case 1:
		text += m.pick("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
	case 2:
		text += m.exponent()
	}
	return m.damage(text, alphabet)
}

func (m maker) number() string {
	switch m.Intn(12) {
	case 0:
		return m.letters("0", 3) + m.letters("0123456789", 3)
	case 1:
		return m.pick("18446744073709551615", "18446744073709551616", "99999999999999999999", "9223372036854775808")
	case 2:
		return m.letters("A-0z+", 3)
	default:
		return strconv.Itoa(m.Intn(12))
	}
}

func (m maker) identifiers() string {
	text := ""
	for {
		switch m.Intn(5) {
		case 0:
			text += m.number()
		case 1:
			text += m.letters("0123456789", 22)
		default:
			text += m.letters("0aA-1zZ", 3)
		}
		if m.Intn(2) == 0 {
			return text
		}
		text += "."
	}
}

func (m maker) version() string {
	const alphabet = "0123456789..+-vAa _\xc3\xa9"
	text := m.pick("", "", "", "v") + m.number()
	for i := m.pick("", "1", "11", "11", "11", "11", "111"); i != ""; i = i[1:] {
		text += "." + m.number()
	}
	if m.Intn(2) == 0 {
		text += "-" + m.identifiers()
	}
	if m.Intn(3) == 0 {
		text += "+" + m.identifiers()
	}
	return m.damage(text, alphabet)
}

func encoded(text string) string { return "x" + hex.EncodeToString([]byte(text)) }

// Kubernetes writes a number with a million zeros out, which takes it minutes: such are left out.
var longExponent = regexp.MustCompile(`[eE]([+-]?[0-9]{3,})$`)

func tooLong(text string) bool {
	found := longExponent.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	exponent, err := strconv.ParseInt(found[1], 10, 64)
	return err == nil && (int32(exponent) > 200 || int32(exponent) < -200)
}

func tellQuantity(out *bufio.Writer, text string) {
	if tooLong(text) {
		text = "1"
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		fmt.Fprintf(out, "quantity %s -\n", encoded(text))
		return
	}
	number, suffix := q.CanonicalizeBytes(make([]byte, 0, 64))
	fmt.Fprintf(out, "quantity %s %s%s %s\n", encoded(text), number, suffix, q.AsDec().String())
}

type versions struct{ is, order cel.Program }

func newVersions() (*versions, error) {
	env, err := cel.NewEnv(library.SemverLib(library.SemverVersion(1)), cel.Variable("a", cel.StringType),
		cel.Variable("b", cel.StringType), cel.Variable("n", cel.BoolType))
	if err != nil {
		return nil, err
	}
	var programs [2]cel.Program
	for i, text := range []string{"isSemver(a, n)", "semver(a, n).compareTo(semver(b, n))"} {
		tree, issues := env.Compile(text)
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		if programs[i], err = env.Program(tree); err != nil {
			return nil, err
		}
	}
	return &versions{programs[0], programs[1]}, nil
}

func (v *versions) ask(p cel.Program, a, b string, lenient bool) (any, error) {
	value, _, err := p.Eval(map[string]any{"a": a, "b": b, "n": lenient})
	if err != nil {
		return nil, err
	}
	return value.Value(), nil
}

func (v *versions) tell(out *bufio.Writer, a, b string, lenient bool) error {
	accepted := [2]bool{}
	for i, text := range []string{a, b} {
		answer, err := v.ask(v.is, text, "", lenient)
		if err != nil {
			return err
		}
		accepted[i] = answer.(bool)
	}
	number := map[bool]int{true: 1}
	fmt.Fprintf(out, "version %d %s %s %d %d", number[lenient], encoded(a), encoded(b), number[accepted[0]], number[accepted[1]])
	if accepted[0] && accepted[1] {
		order, err := v.ask(v.order, a, b, lenient)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, " %d", order)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func run(seed, count int64) error {
	m := maker{rand.New(rand.NewSource(seed))}
	out := bufio.NewWriter(os.Stdout)
	v, err := newVersions()
	for i := int64(0); i < count && err == nil; i++ {
		tellQuantity(out, m.quantity())
		a := m.version()
		b := m.version()
		if m.Intn(3) == 0 {
			b = m.damage(a, "0123456789.-aA+")
		}
		err = v.tell(out, a, b, m.Intn(2) == 0)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: texts SEED COUNT")
		os.Exit(2)
	}
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	count, other := strconv.ParseInt(os.Args[2], 10, 64)
	if err == nil {
		err = other
	}
	if err == nil {
		err = run(seed, count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}
