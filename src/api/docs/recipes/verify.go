package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

func sign(secret string, content []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(content)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// IsGenuine checks the signature of a request. body must be the unchanged bytes of the request.
func IsGenuine(body []byte, header http.Header, secret string) bool {
	given := header.Get("x-communication-signature-256")
	return hmac.Equal([]byte(given), []byte(sign(secret, body)))
}

// IsGenuineUpgrade checks a WebSocket upgrade request. If it returns false, close with code 1008.
func IsGenuineUpgrade(header http.Header, secret string) bool {
	timestamp := header.Get("x-communication-timestamp")
	ms, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.UnixMilli(ms)).Abs() >= 5*time.Minute {
		return false
	}
	given := header.Get("x-communication-signature-256")
	content := timestamp + "." + header.Get("x-communication-nonce")
	return hmac.Equal([]byte(given), []byte(sign(secret, []byte(content))))
}
