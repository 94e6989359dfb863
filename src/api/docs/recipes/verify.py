import hashlib
import hmac
import time


def sign(secret: str, content: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()


def is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def is_genuine(body: bytes, headers, secret: str) -> bool:
    """body: the unchanged bytes of the request."""
    return is_same(headers.get("x-communication-signature-256", ""), sign(secret, body))


def is_genuine_upgrade(headers, secret: str) -> bool:
    """Checks a WebSocket upgrade request. If it returns False, close with code 1008."""
    timestamp = headers.get("x-communication-timestamp", "")
    nonce = headers.get("x-communication-nonce", "")
    if not timestamp.isdigit() or abs(time.time() * 1000 - int(timestamp)) >= 5 * 60 * 1000:
        return False
    expected = sign(secret, f"{timestamp}.{nonce}".encode())
    return is_same(headers.get("x-communication-signature-256", ""), expected)
