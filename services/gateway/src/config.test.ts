import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { gatewayConfig, routesOf } from './config.ts'

const printRequest = { prefix: '/print-request', target: 'http://127.0.0.1:1' }
const uat = { prefix: '/uat', target: 'http://127.0.0.1:2' }

test.each([
  ['production', [printRequest]],
  [undefined, [printRequest]],
  ['uat', [printRequest, uat]],
])(
  'in %s the routes are %j: /uat is served only in the test environment',
  (DESPATCH_ENVIRONMENT, routes) => {
    const config = readConfig(gatewayConfig, {
      PORT: '0',
      ...(DESPATCH_ENVIRONMENT && { DESPATCH_ENVIRONMENT }),
      DESPATCH_ROUTES: '/print-request=http://127.0.0.1:1 /uat=http://127.0.0.1:2',
    })

    expect(routesOf(config)).toEqual(routes)
  },
)
