import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { startAccess } from './an-access-service.ts'

const stack = await shared(startAccess({ DESPATCH_SOURCE_REQUESTS_PER_SECOND: '1' }))

test.each([
  ['authenticate', 1],
  ['password', 2],
  ['new-password', 3],
])(
  'POST /%s: 429 for an address with too many requests, in the error format of the API, and not for another',
  async (operation, number) => {
    const post = (remoteAddress: string) =>
      stack.service.api.inject({
        method: 'POST',
        url: `/thirdparty-access/v1/${operation}`,
        remoteAddress,
        body: {},
      })

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(`198.51.100.${number}`)),
    )
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    const another = await post(`203.0.113.${number}`)

    expect(refused.length).toBeGreaterThan(0)
    expect(refused.map((answer) => answer.json())).toEqual(
      refused.map(() => [
        {
          status: 429,
          code: 429,
          title: 'Too Many Requests',
          detail: 'Too many requests: the limit is 1 per second and 2 more per minute',
        },
      ]),
    )
    expect(refused[0]?.headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"second";r=0;t=1',
      'ratelimit-policy': '"second";q=1;w=1, "burst";q=2;w=60',
    })
    expect(another.statusCode).toBe(400)
    expect(another.headers.ratelimit).toBe('"second";r=0;t=1')
  },
)
