import type { OverrideAddressRequest } from '@despatch/contracts/administration/print-job'
import { wrongUsage } from '../failure.ts'

const lineNames = ['line1', 'line2', 'line3', 'line4', 'line5'] as const

/** An address given line by line. */
export type GivenAddress = { [name in (typeof lineNames)[number]]?: string } & {
  line1: string
  postcode?: string
  bfpo?: string
  country?: string
}

/**
 * Returns the address: abroad if there is a country, of the forces with a BFPO number, otherwise in the United Kingdom
 * with a postcode. Throws a Failure if these contradict each other. `nameOf` says what a member is called there.
 */
export function addressOf(
  given: GivenAddress,
  nameOf: (name: keyof GivenAddress) => string = (name) => `--${name}`,
): OverrideAddressRequest['address'] {
  const { line1, postcode, bfpo, country } = given
  const others = Object.fromEntries(
    lineNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  if (country !== undefined) {
    if (postcode !== undefined || bfpo !== undefined) {
      throw wrongUsage(
        `${nameOf('country')} is only for an address abroad, without ${nameOf('postcode')} and ${nameOf('bfpo')}`,
      )
    }
    return { internationalAddress: { line1, ...others, country } }
  }
  if (bfpo !== undefined) {
    if (!/^[0-9]{1,4}$/.test(bfpo))
      throw wrongUsage(`${nameOf('bfpo')} must be a number such as 801`)
    if (given.line5 !== undefined) {
      throw wrongUsage(`an address with ${nameOf('bfpo')} has at most four lines`)
    }
    const bfpoNumber = Number(bfpo)
    return { bfpoAddress: { line1, ...others, bfpoNumber, ...(postcode && { postcode }) } }
  }
  if (postcode === undefined) {
    throw wrongUsage(
      `give one of ${nameOf('postcode')}, ${nameOf('bfpo')} and ${nameOf('country')}`,
    )
  }
  return { unstructuredAddress: { line1, ...others, postcode } }
}
