<?php

function sign(string $secret, string $content): string
{
    return 'sha256=' . hash_hmac('sha256', $content, $secret);
}

/** $body: file_get_contents('php://input'). $headers: values by header name in lower case. */
function isGenuine(string $body, array $headers, string $secret): bool
{
    return hash_equals(sign($secret, $body), $headers['x-communication-signature-256'] ?? '');
}

/** Checks a WebSocket upgrade request. If it returns false, close with code 1008. */
function isGenuineUpgrade(array $headers, string $secret): bool
{
    $timestamp = $headers['x-communication-timestamp'] ?? '';
    $nonce = $headers['x-communication-nonce'] ?? '';
    $isFresh = ctype_digit($timestamp) && abs(microtime(true) * 1000 - (int) $timestamp) < 5 * 60 * 1000;
    $given = $headers['x-communication-signature-256'] ?? '';

    return $isFresh && hash_equals(sign($secret, "$timestamp.$nonce"), $given);
}
