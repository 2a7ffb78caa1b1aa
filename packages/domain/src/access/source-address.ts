/**
 * Returns the source of sign-in attempts that an address belongs to. An IPv4 address is one source, even if written as
 * IPv6. For IPv6 it is the first 64 bits, because one customer has all addresses that begin with them.
 */
export function sourceOf(address: string): string {
  const text = address.split('%', 1)[0]!.toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped) return mapped
  return text.includes(':') ? `${firstGroups(text).join(':')}::/64` : text
}

function firstGroups(text: string): string[] {
  const [before = '', after = ''] = text.split('::', 2)
  const head = groupsIn(before)
  const tail = groupsIn(after)
  // An IPv4 address at the end counts as two groups.
  const tailGroups = tail.length + (tail.at(-1)?.includes('.') ? 1 : 0)
  const missing = Math.max(8 - head.length - tailGroups, 0)
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail]
  return groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
}

function groupsIn(part: string): string[] {
  return part.split(':').filter((group) => group !== '')
}
