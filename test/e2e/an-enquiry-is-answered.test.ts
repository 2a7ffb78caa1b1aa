import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { authenticate } from '../stack/a-consumer.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { runCommand } from '../stack/despatch-command.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

// Each test continues from the one before: an operator imports, changes, replaces and rolls back records.

type DriverRow = {
  driver: Record<string, unknown> & {
    drivingLicenceNumber: string
    lastName: string
    firstNames?: string
    dateOfBirth: string
    gender: string
  }
  cpcs?: unknown[]
  tachoCards?: unknown[]
}

const count = 400
const asOf = '2026-01-01'

let drivers: DriverRow[]

const despatch = await shared(aDespatch({}, { prepare: liftUsagePlans }))
const { baseUrl, consumer } = despatch.credentials
const token = await authenticate(baseUrl, consumer)

const fileOf = (name: string) => join(despatch.directory, name)

/** Runs the command, which must exit with 0, and returns the JSON document that it prints. */
// biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own, and the test compares it
async function command(...commandLine: string[]): Promise<any> {
  const { code, stdout, stderr } = await runCommand(despatch.directory, [...commandLine, '--json'])
  expect({ commandLine, code, stderr }).toMatchObject({ commandLine, code: 0 })
  return stdout === '' ? undefined : JSON.parse(stdout)
}

async function readRows(name: string): Promise<DriverRow[]> {
  const text = await readFile(fileOf(name), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function writeRows(name: string, rows: readonly object[]): Promise<string> {
  await writeFile(fileOf(name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return fileOf(name)
}

async function enquire(path: string, body: object, headers: Record<string, string> = {}) {
  const { baseUrl, consumer } = despatch.credentials
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'x-api-key': consumer.apiKey,
      'content-type': 'application/json',
      'x-enquiry-purpose': 'e2e',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: each service has answers of its own, and the test compares them
    body: (await response.json()) as any,
  }
}

const askForDriver = (drivingLicenceNumber: string, options: object = {}) =>
  enquire(
    '/full-driver-enquiry/v1/driving-licences/retrieve',
    { drivingLicenceNumber, ...options },
    { authorization: token },
  )

const find = (criteria: object, options: object = {}) =>
  enquire('/driver-find/v1/drivers/find', { criteria, options }, { authorization: token })

test('an enquiry returns imported records', async () => {
  const counted = [String(count), '--today', asOf]
  await command('vehicles', 'generate', ...counted, '--out', fileOf('vehicles.ndjson'))
  await command('drivers', 'generate', ...counted, '--out', fileOf('drivers.ndjson'))
  await command('vehicles', 'import', fileOf('vehicles.ndjson'))
  await command('drivers', 'import', fileOf('drivers.ndjson'))
  drivers = await readRows('drivers.ndjson')

  const [vehicle] = (await readRows('vehicles.ndjson')) as unknown as {
    registrationNumber: string
  }[]
  const { registrationNumber } = vehicle!
  const answer = await enquire('/vehicle-enquiry/v1/vehicles', {
    registrationNumber: registrationNumber.toLowerCase(),
  })
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: vehicle })

  const professional = drivers.find(({ cpcs, tachoCards }) => cpcs?.length && tachoCards?.length)!
  const { driver, cpcs, tachoCards } = professional
  const retrieved = await askForDriver(driver.drivingLicenceNumber, {
    includeCPC: true,
    includeTacho: true,
  })
  expect(retrieved.status).toBe(200)
  expect(retrieved.headers.get('api-spec-version')).toBe('1.30.0')
  expect(retrieved.body).toMatchObject({ driver, cpc: { cpcs }, holder: { tachoCards } })

  const { firstNames, lastName, dateOfBirth, gender, drivingLicenceNumber } = driver
  const found = await find({ firstNames, lastName, dateOfBirth })
  expect(found.headers.get('x-total-count')).toBe('1')
  expect(found.body).toEqual({ results: [{ drivingLicenceNumber, lastName, gender }] })
})

test('an update changes its records, adds new ones and keeps all others', async () => {
  const [first, second] = drivers as [DriverRow, DriverRow]
  const changed = { ...first, driver: { ...first.driver, lastName: 'Featherstonehaugh' } }
  const number = 'NEWCO803117AB9ZZ'
  const added = { ...second, driver: { ...second.driver, drivingLicenceNumber: number } }
  await command('drivers', 'import', await writeRows('update.ndjson', [changed, added]), '--update')

  expect(await askForDriver(first.driver.drivingLicenceNumber)).toMatchObject({
    status: 200,
    body: { driver: changed.driver },
  })
  expect(await askForDriver(number)).toMatchObject({ status: 200, body: { driver: added.driver } })
  expect(await askForDriver(second.driver.drivingLicenceNumber)).toMatchObject({
    status: 200,
    body: { driver: second.driver },
  })
  const { firstNames, dateOfBirth, gender } = first.driver
  const renamed = await find({ lastName: 'FEATHERSTONEHAUGH', firstNames, dateOfBirth, gender })
  expect(renamed.body.results).toHaveLength(1)
})

test('an enquiry while a set is replaced sees the old or the new set, and never the old one again', async () => {
  const kept = drivers.slice(0, 200).map((row) => ({
    ...row,
    driver: { ...row.driver, address: { unstructuredAddress: { line1: 'Of the next set' } } },
  }))
  const numbers = [kept[0]!, kept.at(-1)!].map(({ driver }) => driver.drivingLicenceNumber)
  const file = await writeRows('replacement.ndjson', kept)
  const seen: string[] = []
  let isOver = false
  const watching = (async () => {
    for (let index = 0; !isOver; index += 1) {
      const { status, body } = await askForDriver(numbers[index % 2]!)
      expect(status).toBe(200)
      const { line1 } = body.driver.address?.unstructuredAddress ?? {}
      const set = line1 === 'Of the next set' ? 'next' : 'former'
      if (seen.at(-1) !== set) seen.push(set)
    }
  })()

  await command('drivers', 'import', file)
  isOver = true
  await watching

  expect(await askForDriver(numbers[0]!)).toMatchObject({
    body: { driver: { address: { unstructuredAddress: { line1: 'Of the next set' } } } },
  })
  expect(seen[0]).toBe('former')
  expect(seen.length).toBeLessThanOrEqual(2)
  const gone = drivers.at(-1)!.driver.drivingLicenceNumber
  expect(await askForDriver(gone)).toMatchObject(aProblem(404, { code: 'ENQ018' }))
})

test('a rollback restores the previous set completely', async () => {
  await command('drivers', 'rollback')

  const { driver } = drivers.at(-1)!
  expect(await askForDriver(driver.drivingLicenceNumber)).toMatchObject({
    status: 200,
    body: { driver },
  })
})

test('operators see who made an enquiry, and find the enquiry only by its number', async () => {
  const { drivingLicenceNumber } = drivers.at(-1)!.driver
  const { code, stdout } = await runCommand(
    despatch.directory,
    ['enquiries', 'list', '--number', '-', '--json'],
    drivingLicenceNumber,
  )
  expect(code).toBe(0)
  expect(stdout).not.toContain(drivingLicenceNumber)
  const { enquiries } = JSON.parse(stdout)
  const facts = { userName: 'demo-consumer', service: 'full-driver-enquiry', purpose: 'e2e' }
  expect(enquiries).toEqual([
    expect.objectContaining({ ...facts, outcome: 'found', status: 200 }),
    expect.objectContaining({ ...facts, outcome: 'not-found', status: 404 }),
  ])

  const vehicles = await command('enquiries', 'list', '--service', 'vehicle-enquiry')
  expect(vehicles.enquiries).toEqual([
    expect.objectContaining({ ...facts, service: 'vehicle-enquiry', outcome: 'found' }),
  ])
})
