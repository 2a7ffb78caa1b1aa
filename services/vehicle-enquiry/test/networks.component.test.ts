import { randomUUID } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aVehicleEnquiry, forbidden, path, refusal } from './a-vehicle-enquiry.ts'

const enquiry = await shared(aVehicleEnquiry({ settings: { DESPATCH_TRUSTED_PROXIES: '1' } }))
const outsideNetworks = refusal(
  403,
  'Forbidden',
  'The address of the request is not among those of the consumer',
)

/** Enquires behind one trusted proxy, from an address. */
async function enquireFrom(address: string, headers: Record<string, string>) {
  const answer = await enquiry.service.api.inject({
    method: 'POST',
    url: path,
    headers: { ...headers, 'x-forwarded-for': address },
    body: { registrationNumber: 'AA19AAA' },
  })
  return { status: answer.statusCode, body: answer.json() }
}

test('an enquiry is accepted only from a network of the consumer', async () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32']
  const { consumerId, headers } = await enquiry.aConsumer()
  await enquiry.db.updateTable('consumer').set({ networks }).where('id', '=', consumerId).execute()

  for (const address of ['203.0.113.7', '2001:db8::7', '198.51.100.7, 203.0.113.7']) {
    expect((await enquireFrom(address, headers)).status, address).toBe(404)
  }
  // the first of two is what a caller wrote itself
  for (const address of ['198.51.100.7', '2001:db9::7', '203.0.113.7, 198.51.100.7']) {
    expect(await enquireFrom(address, headers), address).toEqual(outsideNetworks)
  }
  const wrong = { 'x-api-key': randomUUID() }
  expect(await enquireFrom('198.51.100.7', wrong)).toMatchObject(forbidden)
  expect(JSON.stringify(enquiry.lines)).not.toContain('198.51.100.7')
})
