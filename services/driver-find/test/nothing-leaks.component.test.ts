import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aDriver, aDriverDatabase, aDriverFind } from './a-driver-find.ts'

const canary = aDriver('CANAR657054KM9IJ', {
  driver: {
    firstNames: 'KANARIENNE',
    lastName: 'CANARY-FINCH',
    dateOfBirth: '1964-07-13',
    address: { unstructuredAddress: { line1: '13 VOLIERE ROAD', postcode: 'QX99 3CZ' } },
  },
})
const secrets = ['canar657054', 'kanarienne', 'canary', 'finch', '1964-07-13', 'qx99', 'voliere']

const database = await shared(aDriverDatabase([canary]))

const criteria = {
  firstNames: 'Kanarienne',
  lastName: 'Canary Finch',
  dateOfBirth: '1964-07-13',
  postcode: 'QX99 3CZ',
  gender: 'Female',
}

test('no content of a search is in a log line, a metric, a refusal or the audit', async () => {
  const driverFind = await aDriverFind(database)
  const searches: unknown[] = [
    { criteria },
    { criteria, options: { lastNameMatchType: 'phonetic', firstNamesMatchType: 'token' } },
    { criteria: { fullName: 'Kanarienne Canary', dateOfBirth: '1964-07-13' } },
    { criteria: { ...criteria, lastName: ['Canary'] } },
    {
      criteria: {
        ...criteria,
        gender: 'Canary',
        dateOfBirth: '1964-07-13Z',
        postcode: 'QX99 3CZZ',
      },
    },
    { criteria: { ...criteria, lastName: `Canary${'x'.repeat(100)}` } },
    {
      criteria,
      options: { lastNameMatchType: 'Canary', orderBy: 'Finch', includeImagesInResults: 'Canary' },
    },
    { criteria, limit: 'Canary', offset: '1964-07-13' },
    { criteria: 'Canary' },
    { Canary: { Finch: 1 } },
    '{"criteria":{"lastName":"Canary"',
    ['Canary'],
  ]
  const answers = []
  for (const search of searches) answers.push(await driverFind.post(search))
  answers.push(
    await driverFind.post({ criteria }, { headers: { ...driverFind.insurer, limit: 'Canary' } }),
    await driverFind.post({ criteria }, { headers: {} }),
  )
  const audited = JSON.stringify(await driverFind.enquiries())
  const metrics = await driverFind.metrics()
  await database.pool.query('alter table driver_search rename column last_sound to elsewhere')
  answers.push(await driverFind.post({ criteria }))
  await driverFind.close()

  expect(answers.map(({ status }) => status)).toEqual([
    200, 200, 200, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 401, 500,
  ])
  expect(driverFind.lines.length).toBeGreaterThanOrEqual(answers.length)
  const refusals = answers.filter(({ status }) => status !== 200)
  const written = [
    driverFind.lines.join(''),
    metrics,
    audited,
    JSON.stringify(refusals.map(({ body }) => body)),
    JSON.stringify(answers.map(({ headers }) => headers)),
  ]
  for (const text of written) {
    for (const secret of secrets) expect(text.toLowerCase()).not.toContain(secret)
  }
})
