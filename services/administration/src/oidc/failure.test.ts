import { ClientError, ResponseBodyError } from 'openid-client'
import { expect, test } from 'vitest'
import { UnfitIdToken } from './check-id-token.ts'
import { describeOidcFailure } from './failure.ts'

const clientError = (code: string) => Object.assign(new ClientError('SECRET'), { code })

test.for([
  [
    'a clock that differs',
    clientError('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'),
    'unavailable',
    'The clocks of Despatch and Example ID differ too much. Ask an administrator to correct them.',
  ],
  [
    'no answer in time',
    clientError('OAUTH_TIMEOUT'),
    'unavailable',
    'Example ID does not respond. Try again later.',
  ],
  [
    'no connection',
    new TypeError('fetch failed'),
    'unavailable',
    'Example ID does not respond. Try again later.',
  ],
  [
    'a claim that differs',
    clientError('OAUTH_JWT_CLAIM_COMPARISON_FAILED'),
    'wrong-credentials',
    'The response of Example ID is not valid for this sign-in. Sign in again.',
  ],
  [
    'a token from the future',
    new UnfitIdToken('iat'),
    'unavailable',
    'The clocks of Despatch and Example ID differ too much. Ask an administrator to correct them.',
  ],
  [
    'a token for another party',
    new UnfitIdToken('azp'),
    'wrong-credentials',
    'The response of Example ID is not valid for this sign-in. Sign in again.',
  ],
] as const)('%s has a sentence', ([, error, kind, detail]) => {
  expect(describeOidcFailure(error, 'Example ID')).toMatchObject({ kind, detail })
})

test('a fault of ours is not described as a failure of the provider', () => {
  expect(describeOidcFailure(new TypeError('x is not a function'), 'Example ID')).toBeUndefined()
})

test.for([
  [400, 'invalid_grant', 'invalid-grant', 'wrong-credentials', 'was already used'],
  [401, 'invalid_client', 'client-refused', 'unavailable', 'does not accept Despatch'],
  [503, 'temporarily_unavailable', 'server-error', 'unavailable', 'does not respond'],
  [500, 'server_error', 'server-error', 'unavailable', 'does not respond'],
  [429, 'slow_down', 'server-error', 'unavailable', 'does not respond'],
] as const)(
  'a response %d %s of the token endpoint is described: %s',
  ([status, error, code, kind, detail]) => {
    const refused = new ResponseBodyError('SECRET', {
      cause: { error },
      response: new Response(null, { status }),
    })

    expect(describeOidcFailure(refused, 'Example ID')).toEqual({
      code,
      kind,
      detail: expect.stringContaining(detail),
    })
  },
)
