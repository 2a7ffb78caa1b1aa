import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aCaller, signedIn } from '../stack/a-caller.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { runCommand } from '../stack/despatch-command.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

// Each test continues from the one before: an operator imports, replaces and rolls back records.

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
const call = aCaller(baseUrl, {
  ...(await signedIn(baseUrl, consumer)),
  'x-enquiry-purpose': 'e2e',
})

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

const askForDriver = (drivingLicenceNumber: string, options: object = {}) =>
  call('POST', '/full-driver-enquiry/v1/driving-licences/retrieve', {
    drivingLicenceNumber,
    ...options,
  })

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
  const answer = await call('POST', '/vehicle-enquiry/v1/vehicles', {
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
  const criteria = { firstNames, lastName, dateOfBirth }
  const found = await call('POST', '/driver-find/v1/drivers/find', { criteria, options: {} })
  expect(found.headers.get('x-total-count')).toBe('1')
  expect(found.body).toEqual({ results: [{ drivingLicenceNumber, lastName, gender }] })
})

test('a replacement takes the place of all records, and a rollback restores them', async () => {
  const { driver } = drivers.at(-1)!
  await command('drivers', 'import', await writeRows('replacement.ndjson', drivers.slice(0, 200)))
  expect(await askForDriver(driver.drivingLicenceNumber)).toMatchObject(
    aProblem(404, { code: 'ENQ018' }),
  )

  await command('drivers', 'rollback')

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
