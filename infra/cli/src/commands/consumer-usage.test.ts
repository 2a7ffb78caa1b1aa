import { expect, test } from 'vitest'
import { renderConsumerUsage } from './consumer-usage.ts'

const at = '2026-03-01T12:00:00.000Z'
const endsAt = '2026-03-02T00:00:00.000Z'

test('usage is shown with its possible lag; unknown counts are shown as unknown', () => {
  const day = { requestsPerDay: 2_000, unreportedMax: 100, endsAt }
  const today = { requests: 8_412, refused: 0, peakPerSecond: 6 }
  const usage = {
    consumerId: '11111111-1111-4111-8111-111111111111',
    usagePlan: 'daily',
    at,
    services: [
      {
        service: 'driver-find',
        isLetIn: false,
        isLimited: true,
        requestsPerSecond: 10,
        burst: 0,
        today: { ...today, refused: 3 },
        day: { ...day, isKnown: false },
      },
      {
        service: 'print-request',
        isLetIn: true,
        isLimited: true,
        requestsPerSecond: 100,
        burst: 200,
        today,
        day: { ...day, isKnown: true, usedAbout: 1_995, leftAbout: 5 },
        dayBytes: {
          bytesPerDay: 1_048_576,
          unreportedMax: 51_200,
          endsAt,
          isKnown: true,
          usedAbout: 2_048,
          leftAbout: 1_046_528,
        },
      },
      { service: 'vehicle-enquiry', isLetIn: true, isLimited: false, today },
    ],
  }

  expect(renderConsumerUsage(usage).replaceAll('\t', ' ').split('\n')).toEqual([
    `Plan daily, counted at ${at}. Each process of a service may have accepted about 100 more requests and about 51200 more bytes of bodies.`,
    '',
    'SERVICE MAY USE A SECOND PEAK BURST A DAY USED TODAY REFUSED LEFT BYTES A DAY BYTES USED BYTES LEFT UNTIL',
    `driver-find no 10 6 0 2000 unknown 3 unknown any - - ${endsAt}`,
    `print-request yes 100 6 200 2000 about 1995 0 about 5 1048576 about 2048 about 1046528 ${endsAt}`,
    'vehicle-enquiry yes any 6 any any 8412 0 - any - - -',
  ])
})

test('without a service there is nothing to be used', () => {
  const usage = { consumerId: '1', usagePlan: 'standard', at, services: [] }

  expect(renderConsumerUsage(usage)).toBe('Plan standard. No services.')
})
