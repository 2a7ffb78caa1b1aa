import { databaseServices, roleOf } from '@despatch/postgres/service-roles'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { servicePasswords } from '@despatch/testing/service-logins'
import { expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { startRecordingReceiver } from '../stack/callbacks/recording-receiver.ts'
import { startSimulator } from '../stack/provider-loop/start-simulator.ts'
import { makeDirectory, startDespatch } from '../stack/start-despatch.ts'

const aLetter = { ...aSmallLetter, id: 'with-logins' }

test('with a database login for each service, and queues in the database, a letter is despatched and its callback arrives', async () => {
  await using parts = new AsyncDisposableStack()
  const clone = await cloneDatabase()
  parts.defer(clone.drop)
  const directory = parts.use(await makeDirectory())
  const passwords = databaseServices.map((service) => `${service}=${servicePasswords[service]}`)
  const despatch = parts.use(
    await startDespatch(directory.path, {
      DATABASE_URL: clone.url,
      DESPATCH_DATABASE_PASSWORDS: passwords.join(' '),
      ...objectStoreSettings(),
      DESPATCH_ENVIRONMENT: 'uat',
      DESPATCH_PRINT_RUN_AGE_MS: '300',
    }),
  )
  const { baseUrl, consumer: credential, provider } = despatch.credentials
  const receiver = parts.use(await startRecordingReceiver())
  const consumer = await aConsumer(baseUrl, credential)

  await consumer.submit({ ...aLetter, callbackParams: { target: receiver.origin } })
  parts.use(startSimulator({ baseUrl, credential: provider, directory: directory.path }))
  await consumer.reached(aLetter.id, 'DESPATCHED', 60_000)

  const { pool, close } = openDatabase(clone.url, { name: 'test', connectionsMax: 1 })
  parts.defer(close)
  const { rows } = await pool.query<{ role: string }>(
    `select distinct usename::text as role from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() order by 1`,
  )
  const roles = rows.map(({ role }) => role)
  const ofServices = databaseServices.map(roleOf)
  expect(roles.filter((role) => !ofServices.includes(role))).toEqual([])
  expect(roles).toEqual(expect.arrayContaining(['despatch_pipeline', 'despatch_callbacks']))
  for (const secret of [credential.password, credential.apiKey, servicePasswords.pipeline]) {
    expect(despatch.output()).not.toContain(secret)
  }
})
