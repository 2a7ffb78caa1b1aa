import { type AllowedRange, mayConnect, parseRange } from '@despatch/domain/callback/may-call'
import { metadataAddresses } from '@despatch/domain/callback/metadata-hosts'
import type { Check, Finding } from './finding.ts'

const subject = 'callback ranges'
/** The widest private networks: 10.0.0.0/8 and fc00::/7. */
const bitsMin = { ipv4: 8, ipv6: 7 } as const
const loopback = ['127.0.0.1', '::1']

/**
 * Checks which addresses callbacks may go to although they are not public. Any submitter of print jobs chooses targets.
 */
export const checkCallbackAllow: Check = async ({ environment }) => [
  judgeCallbackAllow(
    environment.DESPATCH_CALLBACK_ALLOW ?? '',
    environment.DESPATCH_ENVIRONMENT || 'production',
  ),
]

export function judgeCallbackAllow(text: string, environment: string): Finding {
  if (text.trim() === '') {
    const found =
      'DESPATCH_CALLBACK_ALLOW is not set here; without it only public addresses are called'
    return { subject, state: 'skipped', found }
  }
  const parts = text.split(',').map((part) => part.trim())
  const ranges = parts.map(parseRange)
  if (!ranges.every((range) => range !== undefined)) {
    const found = 'DESPATCH_CALLBACK_ALLOW has an entry that is not a range'
    return { subject, state: 'bad', found, mend: 'write ranges such as 10.20.0.0/16,::1/128' }
  }
  const mend = 'narrow DESPATCH_CALLBACK_ALLOW to the networks that receivers of callbacks are in'
  const wide = parts.filter((_, index) => isWide(ranges[index]!))
  const isReached = (address: string) =>
    ranges.some(({ port = 443 }) => mayConnect({ address, port }, ranges))
  const reached = metadataAddresses.filter(isReached)
  const dangers = [
    ...wide.map((part) => `${part} is too wide`),
    ...reached.map((address) => `${address} gives machines their credentials`),
  ]
  if (dangers.length > 0) {
    const state = environment === 'production' ? 'bad' : 'warning'
    return { subject, state, found: dangers.join('; '), mend }
  }
  if (environment === 'production' && loopback.some(isReached)) {
    const found = 'this machine itself can be called, which is only for trials'
    return { subject, state: 'warning', found, mend }
  }
  return { subject, state: 'good', found: `besides public addresses: ${parts.join(', ')}` }
}

function isWide({ network: [address, bits] }: AllowedRange): boolean {
  return bits < bitsMin[address.kind()]
}
