import { type Finding, note } from '../preflight/finding.ts'
import type { DespatchMethod } from '../print-job/params.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import type { Address } from './address.ts'
import { type Country, findCountry, nearCountry } from './countries.ts'
import { isInEu } from './eu-members.ts'

/** Jersey, Guernsey and the Isle of Man: the classes of the United Kingdom apply to their letters. */
const crownDependencies = ['GG', 'IM', 'JE']

/** Methods that exist only inside the United Kingdom. */
const inlandMethods: readonly (DespatchMethod | undefined)[] = ['FIRST', 'ECONOMY', undefined]

/**
 * Returns the method by which a letter is produced. An international address has no class of the United Kingdom: FIRST,
 * ECONOMY and an absent method become INTERNATIONAL_EU for a country in the European Union, otherwise, also if the
 * country is not known, INTERNATIONAL_ROW. Every other method stays, and so does that of every other address, and of a
 * crown dependency. Absent then means second class.
 */
export function producedMethodOf(
  address: Address,
  method: DespatchMethod | undefined,
): PrintRunDespatchMethod {
  if (!('internationalAddress' in address) || !inlandMethods.includes(method)) {
    return method ?? 'SECOND'
  }
  const country = findCountry(address.internationalAddress.country)
  if (isCrownDependency(country)) return method ?? 'SECOND'
  return country && isInEu(country.code) ? 'INTERNATIONAL_EU' : 'INTERNATIONAL_ROW'
}

/** Returns what the sender should know about the country of a letter and the method by which it is produced: notes. */
export function findAbroad(address: Address, method: DespatchMethod | undefined): Finding[] {
  if (!('internationalAddress' in address)) return []
  const given = address.internationalAddress.country
  return [...findCountryFaults(given), ...findClassFaults(address, method)]
}

function findCountryFaults(given: string): Finding[] {
  const country = findCountry(given)
  if (country?.code === 'GB') {
    const kinds = 'structuredAddress or unstructuredAddress'
    return [
      note('country-unknown', `country is the United Kingdom: send its addresses as ${kinds}.`),
    ]
  }
  if (country) return []
  const near = nearCountry(given)
  return [
    note('country-unknown', `country is no known country.${near ? ` Did you mean ${near}?` : ''}`),
  ]
}

function findClassFaults(address: Address, method: DespatchMethod | undefined): Finding[] {
  const produced = producedMethodOf(address, method)
  if (method === undefined || produced === method) return []
  const detail = `despatchMethod ${method} is a class inside the United Kingdom: the letter is produced as ${produced}.`
  return [note('class-abroad', detail)]
}

function isCrownDependency(country: Country | undefined): boolean {
  return country !== undefined && crownDependencies.includes(country.code)
}
