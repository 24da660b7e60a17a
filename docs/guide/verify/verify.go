// Receive webhooks with Go and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several with spaces between them.
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
	window    = 300     // seconds
	mostBytes = 4 << 20 // what is longer is cut, and so does not match
)

var (
	secretForm = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{32,}={0,2}$`)
	// The id has no full stop: it could move the borders between the three parts.
	idForm     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	momentForm = regexp.MustCompile(`^[0-9]{1,12}$`)

	errSecret   = errors.New("a secret must be whsec_ followed by base64")
	errMismatch = errors.New("no signature matches")
	errTime     = errors.New("signed too long ago, or in the future")
)

// verify answers nil when the raw body was signed with one of the secrets.
func verify(body []byte, header http.Header, secrets []string) error {
	for _, secret := range secrets {
		if !secretForm.MatchString(secret) {
			return errSecret
		}
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if len(header.Values(name)) > 0 {
			return verifyStandard(body, header, secrets)
		}
	}
	var given, known []string
	for _, name := range []string{"X-Service-Signature", "X-Service-Signature-Previous"} {
		given = append(given, strings.TrimPrefix(header.Get(name), "sha256="))
	}
	for _, secret := range secrets {
		known = append(known, hex.EncodeToString(code([]byte(secret), body)))
	}
	return matches(given, known)
}

// verifyStandard checks the signature of Standard Webhooks, which covers id, time and body.
func verifyStandard(body []byte, header http.Header, secrets []string) error {
	id, moment := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if !idForm.MatchString(id) || !momentForm.MatchString(moment) {
		return errMismatch
	}
	seconds, err := strconv.ParseInt(moment, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > window {
		return errTime
	}
	var known []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return errSecret
		}
		content := append([]byte(id+"."+moment+"."), body...)
		known = append(known, "v1,"+base64.StdEncoding.EncodeToString(code(key, content)))
	}
	return matches(strings.Split(header.Get("webhook-signature"), " "), known)
}

func code(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}

// matches compares in a time that tells nothing but the length.
func matches(given, known []string) error {
	for _, one := range given {
		for _, other := range known {
			if hmac.Equal([]byte(one), []byte(other)) {
				return nil
			}
		}
	}
	return errMismatch
}

// receive verifies first, answers at once and works later.
func receive(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, mostBytes))
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
