<?php
// Receive webhooks with PHP 8 and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several separated by spaces.
//
//     php -S 127.0.0.1:8080 verify.php
//     php verify.php check body-file headers-json-file

declare(strict_types=1);

const WINDOW = 300; // seconds
const MAX_BYTES = 4 * 1024 * 1024; // longer bodies are truncated and fail the check

/** Tell whether the raw body was signed with one of the secrets. */
function isSigned(string $body, array $headers, array $secrets): bool
{
    foreach ($secrets ?: [''] as $secret) {
        if (!preg_match('~^whsec_[A-Za-z0-9+/]{32,}={0,2}\z~', $secret)) {
            throw new InvalidArgumentException('A secret must be whsec_ followed by base64.');
        }
    }
    $sent = array_change_key_case($headers, CASE_LOWER);
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        if (isset($sent[$name])) {
            return isSignedStandard($body, $sent, $secrets);
        }
    }
    $names = ['x-service-signature', 'x-service-signature-previous'];
    $sentSignatures = array_map(fn ($name) => preg_replace('~^sha256=~', '', $sent[$name] ?? ''), $names);
    $expectedSignatures = array_map(fn ($key) => hash_hmac('sha256', $body, $key), $secrets);
    return hasMatch($sentSignatures, $expectedSignatures);
}

/** Check the signature of Standard Webhooks, which covers id, time and body. */
function isSignedStandard(string $body, array $sent, array $secrets): bool
{
    $id = $sent['webhook-id'] ?? '';
    $moment = $sent['webhook-timestamp'] ?? '';
    // The id must not contain a full stop, which separates the three parts.
    if (!preg_match('~^[A-Za-z0-9_-]+\z~', $id) || !preg_match('~^[0-9]{1,12}\z~', $moment)) {
        return false;
    }
    if (abs(time() - (int) $moment) > WINDOW) {
        return false;
    }
    $expectedSignatures = array_map(function ($secret) use ($id, $moment, $body) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$moment.$body", $key, true));
    }, $secrets);
    return hasMatch(explode(' ', $sent['webhook-signature'] ?? ''), $expectedSignatures);
}

/** Compare signatures in constant time. */
function hasMatch(array $sentSignatures, array $expectedSignatures): bool
{
    foreach ($sentSignatures as $one) {
        foreach ($expectedSignatures as $other) {
            if (hash_equals($other, $one)) {
                return true;
            }
        }
    }
    return false;
}

$secrets = preg_split('~\s+~', getenv('WEBHOOK_SECRET') ?: '', -1, PREG_SPLIT_NO_EMPTY);

if (PHP_SAPI === 'cli') {
    $headers = json_decode(file_get_contents($argv[3]), true);
    exit(isSigned(file_get_contents($argv[2]), $headers, $secrets) ? 0 : 1);
}

// Verify first, respond immediately, and process the event later.
$body = file_get_contents('php://input', false, null, 0, MAX_BYTES);
if (!isSigned($body, getallheaders(), $secrets)) {
    http_response_code(401);
    exit;
}
http_response_code(200);
error_log(json_decode($body, true)['event']); // put it into your queue here
