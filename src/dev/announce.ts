// Prints the addresses of a development start and a first request to paste.
import type { DevFile } from '../platform/config/dev-file.ts'

export function announce(
  dev: DevFile,
  { say, seconds, logDir }: { say: (text: string) => void; seconds: number; logDir: string },
): void {
  const number = dev.numbers[0]?.number ?? ''
  say(`
Switchboard is up (${seconds.toFixed(1)} s).

  API        ${dev.apiUrl}/api/v1
  Handsets   ${dev.simulatorUrl}/   the provider's simulator, behind the demo numbers ${dev.numbers.map((one) => one.number).join(', ')}
  Console    ${dev.consoleUrl}   as ${dev.operator.email} / ${dev.operator.password}
  Key        ${dev.apiKey}
  Logs       ${logDir}

Send a first message, to a handset that reads it, and look at what became of it:

  curl -s ${dev.apiUrl}/api/v1/messages/chat \\
    -H 'Authorization: Bearer ${dev.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"to":"+15557000001","template":{"name":"order_ready","language":"en_US","variables":{"store":"North Dock","first_name":"Ines","order_number":"A-4471"}}}'

  curl -s '${dev.apiUrl}/api/v1/messages/chat?limit=1' -H 'Authorization: Bearer ${dev.apiKey}'

Let a handset write to ${number}:

  curl -s ${dev.simulatorUrl}/sim/handsets/15557000001/messages -H 'Content-Type: application/json' \\
    -d '{"to":"${number}","type":"text","text":"Hello"}'

All of this is in dev.json beside the logs' folder, for programs. Ctrl-C stops everything.
`)
}
