import { hash, randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { aCaller } from './a-caller.ts'
import { runCommand } from './despatch-command.ts'
import type { Credentials } from './start-despatch.ts'

/** The columns that are meant to hold records. The names of their tables omit the number of the set. */
export const recordColumns = [
  'vehicle_record.registration_number',
  'vehicle_record.record',
  'driver_record.driving_licence_number',
  'driver_record.record',
  'driver_record.tachograph',
  'driver_search.driving_licence_number',
  'driver_search.first_names',
  'driver_search.last_name',
  'driver_search.date_of_birth',
  'driver_search.postcode',
  'driver_search.last_words',
  'driver_search.first_words',
]
/** Columns that may contain a name: some names are spelled as they sound. */
export const soundColumns = ['driver_search.last_sound', 'driver_search.first_sound']

export type EnquiredCanaries = {
  canaries: string[]
  /** The answers that refuse a request, and no others. They must repeat no value. */
  refusals: string
  /** What the operators' commands printed. */
  output: string
}

/**
 * Imports a vehicle and a driver, both unique, and one rejected row of each. Enquires about them in every way that is
 * answered or refused, and searches the audit by number.
 */
export async function enquireWithCanaries(
  { baseUrl, consumer }: Credentials,
  directory: string,
  token: string,
): Promise<EnquiredCanaries> {
  const canary = makeCanaries()
  const output = await importCanaries(directory, canary)
  const refusals: string[] = []
  const call = aCaller(baseUrl, { authorization: token, 'x-api-key': consumer.apiKey })
  const post = async (status: number, path: string, body: unknown, headers = {}) => {
    const { text, ...answer } = await call('POST', path, body, headers)
    expect({ path, status: answer.status, text }).toMatchObject({ path, status })
    if (status >= 400) refusals.push(text, JSON.stringify([...answer.headers]))
    return text
  }
  const { registrationNumber, drivingLicenceNumber, unknownNumber, lastName, firstNames } = canary
  const wrongPurpose = { 'x-enquiry-purpose': `<${lastName}>` }

  const vehicles = '/vehicle-enquiry/v1/vehicles'
  expect(await post(200, vehicles, { registrationNumber })).toContain(registrationNumber)
  await post(404, vehicles, { registrationNumber: canary.unknownRegistration })
  await post(400, vehicles, { registrationNumber: `${registrationNumber} ?` })
  await post(400, vehicles, `{"registrationNumber": "${registrationNumber}"`)
  await post(400, vehicles, { registrationNumber }, wrongPurpose)
  await post(403, vehicles, { registrationNumber }, { 'x-api-key': lastName })
  await post(404, `${vehicles}/${registrationNumber}?number=${registrationNumber}`, {})

  const drivers = '/full-driver-enquiry/v1/driving-licences/retrieve'
  const all = { includeCPC: true, includeTacho: true }
  const partial = { drivingLicenceNumber, ...all, acceptPartialResponse: true }
  expect(await post(200, drivers, partial)).toContain(lastName)
  await post(503, drivers, { drivingLicenceNumber, ...all })
  await post(404, drivers, { drivingLicenceNumber: unknownNumber })
  await post(400, drivers, { drivingLicenceNumber: `${drivingLicenceNumber}X` })
  await post(400, drivers, { drivingLicenceNumber, includeCPC: lastName })
  await post(400, drivers, `{"drivingLicenceNumber": "${drivingLicenceNumber}"`)
  await post(404, `${drivers}/${drivingLicenceNumber}?number=${drivingLicenceNumber}`, {})

  const find = '/driver-find/v1/drivers/find'
  const { dateOfBirth, postcode } = canary
  const criteria = { lastName, firstNames, dateOfBirth, postcode }
  expect(await post(200, find, { criteria })).toContain(drivingLicenceNumber)
  const options = { lastNameMatchType: 'phonetic', firstNamesMatchType: 'token' }
  await post(200, find, { criteria: { ...criteria, lastName: `${lastName}e` }, options })
  await post(200, find, { criteria: { ...criteria, firstNames: `${lastName} ${firstNames}` } })
  await post(400, find, { criteria: { ...criteria, dateOfBirth: `${dateOfBirth}T` } })
  await post(400, find, { criteria: { ...criteria, gender: lastName } })
  await post(400, find, { criteria, options: { lastNameMatchType: lastName, orderBy: firstNames } })
  await post(400, find, `{"criteria": {"lastName": "${lastName}"`)
  await post(404, `${find}/${lastName}?postcode=${postcode}`, {})

  for (const number of [registrationNumber, drivingLicenceNumber]) {
    const { code, stdout, stderr } = await runCommand(
      directory,
      ['enquiries', 'list', '--number', '-'],
      number,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('demo-consumer')
    output.push(stdout)
  }
  const values = Object.values(canary)
  // anyone can compute an unkeyed hash, and so find the number by trying all numbers
  const hashes = values.map((value) => hash('sha256', value))
  return {
    canaries: [...values, postcode.replaceAll(' ', ''), ...hashes],
    refusals: refusals.join('\n'),
    output: output.join('\n'),
  }
}

type Canaries = ReturnType<typeof makeCanaries>

/** Numbers have the right form, but belong to nobody, so that no other text of the tests contains them by chance. */
function makeCanaries() {
  const name = `ZQ${letters(3)}`
  return {
    registrationNumber: `ZQ${letters(6)}`,
    unknownRegistration: `ZX${letters(6)}`,
    drivingLicenceNumber: `${name}403117Q97${letters(2)}`,
    unknownNumber: `ZX${letters(3)}403117Q97${letters(2)}`,
    lastName: `${name}${letters(6)}`,
    firstNames: `Quinx${letters(6)}`,
    dateOfBirth: '1947-03-11',
    postcode: `ZQ9${randomInt(10)} 7${letters(2)}`,
    address: `1 ${letters(10)} Street`,
    cardNumber: `DBZQ${letters(12)}`,
  }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(65 + randomInt(26))).join('')
}

async function importCanaries(directory: string, canary: Canaries): Promise<string[]> {
  const { registrationNumber, drivingLicenceNumber, lastName, firstNames } = canary
  const { dateOfBirth, postcode, address, cardNumber } = canary
  const driver = {
    driver: {
      drivingLicenceNumber,
      lastName,
      firstNames,
      gender: 'Male',
      dateOfBirth,
      address: { unstructuredAddress: { line1: address, postcode } },
    },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [],
    endorsements: [],
    token: {},
    cpcs: [{ lgvValidTo: '2031-01-31', national: false }],
    tachoCards: [{ cardNumber }],
  }
  const rows = {
    vehicles: [
      { registrationNumber, make: 'MAKE' },
      { registrationNumber: `${registrationNumber} ?` },
    ],
    drivers: [driver, { ...driver, token: { issueNumber: { [address]: 1 } } }],
  }
  const output: string[] = []
  for (const [kind, records] of Object.entries(rows)) {
    const path = join(directory, `${kind}.ndjson`)
    await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const { code, stdout, stderr } = await runCommand(directory, [
      kind,
      'import',
      path,
      '--rejects-max',
      '1',
    ])
    expect({ code, stdout, stderr }).toMatchObject({ code: 3 })
    output.push(stdout, stderr)
  }
  return output
}
