// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A certificate is read again when its files have changed: before each handshake, and whenever somebody asks for the state.
// Files that cannot be used leave the one before in place.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	lock      sync.Mutex
	inUse     *tls.Certificate
	cert, key []byte         // what the files were when they were looked at last
	clients   *x509.CertPool // whom clients have to have their certificates from; nil = they need none
	state     certificateState
}

type certificateState struct {
	ends              time.Time
	reloads, failures uint64
}

func readCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.read(); err != nil {
		return nil, err
	}
	c.state.reloads = 0
	return c, nil
}

// read takes the files when they have changed.
func (c *certificate) read() error {
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return err
	}
	if bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key) {
		return nil
	}
	c.cert, c.key = cert, key
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return err
	}
	if err := usable(pair.Leaf); err != nil {
		return err
	}
	c.inUse = &pair
	c.state.reloads++
	c.state.ends = pair.Leaf.NotAfter
	return nil
}

// usable refuses what no client of today accepts.
func usable(leaf *x509.Certificate) error {
	if len(leaf.DNSNames) == 0 && len(leaf.IPAddresses) == 0 {
		return fmt.Errorf("the certificate has no subjectAltName: clients check the server's name there")
	}
	return nil
}

// current is the certificate as its files are now.
func (c *certificate) current() (*tls.Certificate, certificateState) {
	c.lock.Lock()
	defer c.lock.Unlock()
	before := c.state.reloads
	if err := c.read(); err != nil {
		c.state.failures++
		c.log.Error("the certificate files cannot be used; the certificate before stays", "error", err)
	} else if c.state.reloads != before {
		c.log.Info("the certificate was read again", "ends", c.state.ends)
	}
	return c.inUse, c.state
}

// trust makes clients show a certificate of one of the file's authorities; "" = they need none.
func (c *certificate) trust(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c.clients = x509.NewCertPool()
	if !c.clients.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s: there is no certificate in it", file)
	}
	return nil
}

// config is what cluster-autoscaler's client takes: TLS by a name that the certificate has. That client shows no certificate; with
// --client-ca something that has one stands before it, as a service mesh does.
func (c *certificate) config() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, _ := c.current()
		return pair, nil
	}}
	if c.clients != nil {
		config.ClientCAs, config.ClientAuth = c.clients, tls.RequireAndVerifyClientCert
	}
	return config
}
