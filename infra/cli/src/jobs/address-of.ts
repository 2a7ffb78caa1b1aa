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
 * with a postcode. Throws a Failure if these contradict each other.
 */
export function addressOf(given: GivenAddress): OverrideAddressRequest['address'] {
  const { line1, postcode, bfpo, country } = given
  const others = Object.fromEntries(
    lineNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  if (country !== undefined) {
    if (postcode !== undefined || bfpo !== undefined) {
      throw wrongUsage('--country is only for an address abroad, without --postcode and --bfpo')
    }
    return { internationalAddress: { line1, ...others, country } }
  }
  if (bfpo !== undefined) {
    if (!/^[0-9]{1,4}$/.test(bfpo)) throw wrongUsage('--bfpo must be a number such as 801')
    if (given.line5 !== undefined) throw wrongUsage('an address with --bfpo has at most four lines')
    const bfpoNumber = Number(bfpo)
    return { bfpoAddress: { line1, ...others, bfpoNumber, ...(postcode && { postcode }) } }
  }
  if (postcode === undefined) throw wrongUsage('give one of --postcode, --bfpo and --country')
  return { unstructuredAddress: { line1, ...others, postcode } }
}
