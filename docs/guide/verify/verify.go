// Receive webhooks with Go and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several separated by spaces.
//
//	go run verify.go serve 8080
//	go run verify.go check body-file headers-json-file
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	window   = 300     // seconds
	maxBytes = 4 << 20 // longer bodies are truncated and fail the check
)

var (
	secretPattern = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{32,}={0,2}$`)
	// The id must not contain a full stop, which separates the three parts.
	idPattern     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	momentPattern = regexp.MustCompile(`^[0-9]{1,12}$`)

	errSecret   = errors.New("a secret must be whsec_ followed by base64")
	errMismatch = errors.New("no signature matches")
	errTime     = errors.New("signed too long ago, or in the future")
)

// verify returns nil if the raw body was signed with one of the secrets.
func verify(body []byte, header http.Header, secrets []string) error {
	for _, secret := range secrets {
		if !secretPattern.MatchString(secret) {
			return errSecret
		}
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if len(header.Values(name)) > 0 {
			return verifyStandard(body, header, secrets)
		}
	}
	var sent, expected []string
	for _, name := range []string{"X-Service-Signature", "X-Service-Signature-Previous"} {
		sent = append(sent, strings.TrimPrefix(header.Get(name), "sha256="))
	}
	for _, secret := range secrets {
		expected = append(expected, hex.EncodeToString(sign([]byte(secret), body)))
	}
	return findMatch(sent, expected)
}

// verifyStandard checks the signature of Standard Webhooks, which covers id, time and body.
func verifyStandard(body []byte, header http.Header, secrets []string) error {
	id, moment := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if !idPattern.MatchString(id) || !momentPattern.MatchString(moment) {
		return errMismatch
	}
	seconds, err := strconv.ParseInt(moment, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > window {
		return errTime
	}
	var expected []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return errSecret
		}
		content := append([]byte(id+"."+moment+"."), body...)
		expected = append(expected, "v1,"+base64.StdEncoding.EncodeToString(sign(key, content)))
	}
	return findMatch(strings.Split(header.Get("webhook-signature"), " "), expected)
}

func sign(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}

// findMatch compares signatures in constant time.
func findMatch(sent, expected []string) error {
	for _, signature := range sent {
		for _, candidate := range expected {
			if hmac.Equal([]byte(signature), []byte(candidate)) {
				return nil
			}
		}
	}
	return errMismatch
}

// receive verifies first, responds immediately, and processes the event later.
func receive(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBytes))
	if err != nil || verify(body, request.Header, secrets()) != nil {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	writer.WriteHeader(http.StatusOK)
	log.Printf("%s", body) // put it into your queue here
}

func secrets() []string {
	return strings.Fields(os.Getenv("WEBHOOK_SECRET"))
}

func check(bodyFile, headersFile string) error {
	body, err := os.ReadFile(bodyFile)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(headersFile)
	if err != nil {
		return err
	}
	var named map[string]string
	if err := json.Unmarshal(text, &named); err != nil {
		return err
	}
	header := http.Header{}
	for name, value := range named {
		header.Set(name, value)
	}
	return verify(body, header, secrets())
}

func main() {
	if os.Args[1] == "serve" {
		http.HandleFunc("/", receive)
		log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
	}
	if err := check(os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err) // and exit with 1
	}
}
