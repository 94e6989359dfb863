// Which addresses are public, implemented again by other means: Node's own matcher over literal ranges.
import { BlockList, isIP } from 'node:net'

const special4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4`
// Everything outside 2000::/3, and the special ranges inside it.
const special6 = `::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20`

export function rangesIn(text: string): BlockList {
  const list = new BlockList()
  for (const range of text.trim().split(/\s+/)) {
    const [net = '', length] = range.split('/')
    list.addSubnet(net, Number(length), isIP(net) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const [ranges4, ranges6] = [rangesIn(special4), rangesIn(special6)]

export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 4) return !ranges4.check(ip, 'ipv4')
  // ISATAP interface identifiers occur under every prefix.
  const words = wordsOf(ip)
  const isIsatap = words[5] === 0x5efe && (words[4] === 0 || words[4] === 0x200)
  return !ranges6.check(ip, 'ipv6') && !isIsatap
}

function wordsOf(ip: string): number[] {
  const [head = '', tail = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((word) => Number.parseInt(word, 16))
}
