<?php
// Receive webhooks with PHP 8 and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several with spaces between them.
//
//     php -S 127.0.0.1:8080 verify.php
//     php verify.php check body-file headers-json-file

declare(strict_types=1);

const WINDOW = 300; // seconds
const MOST_BYTES = 4 * 1024 * 1024; // what is longer is cut, and so does not match

/** Tell whether the raw body was signed with one of the secrets. */
function verified(string $body, array $headers, array $secrets): bool
{
    foreach ($secrets ?: [''] as $secret) {
        if (!preg_match('~^whsec_[A-Za-z0-9+/]{32,}={0,2}\z~', $secret)) {
            throw new InvalidArgumentException('A secret must be whsec_ followed by base64.');
        }
    }
    $sent = array_change_key_case($headers, CASE_LOWER);
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        if (isset($sent[$name])) {
            return standard($body, $sent, $secrets);
        }
    }
    $names = ['x-service-signature', 'x-service-signature-previous'];
    $given = array_map(fn ($name) => preg_replace('~^sha256=~', '', $sent[$name] ?? ''), $names);
    $known = array_map(fn ($key) => hash_hmac('sha256', $body, $key), $secrets);
    return matches($given, $known);
}

/** Check the signature of Standard Webhooks, which covers id, time and body. */
function standard(string $body, array $sent, array $secrets): bool
{
    $id = $sent['webhook-id'] ?? '';
    $moment = $sent['webhook-timestamp'] ?? '';
    // The id has no full stop: it could move the borders between the three parts.
    if (!preg_match('~^[A-Za-z0-9_-]+\z~', $id) || !preg_match('~^[0-9]{1,12}\z~', $moment)) {
        return false;
    }
    if (abs(time() - (int) $moment) > WINDOW) {
        return false;
    }
    $known = array_map(function ($secret) use ($id, $moment, $body) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$moment.$body", $key, true));
    }, $secrets);
    return matches(explode(' ', $sent['webhook-signature'] ?? ''), $known);
}

/** Compare in a time that tells nothing but the length. */
function matches(array $given, array $known): bool
{
    foreach ($given as $one) {
        foreach ($known as $other) {
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
    exit(verified(file_get_contents($argv[2]), $headers, $secrets) ? 0 : 1);
}

// Verify first, answer at once, work later.
$body = file_get_contents('php://input', false, null, 0, MOST_BYTES);
if (!verified($body, getallheaders(), $secrets)) {
    http_response_code(401);
    exit;
}
http_response_code(200);
error_log(json_decode($body, true)['event']); // put it into your queue here
