import { fieldFaults } from '@despatch/contracts/field-faults'
import {
  thirdpartyAccessBytesMax,
  thirdpartyAccessPrefix,
} from '@despatch/contracts/thirdparty-access/operations'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import { type AuthenticateContext, authenticate } from './operations/authenticate.ts'
import { listSigningKeys } from './operations/list-signing-keys.ts'

export type ThirdpartyAccessContext = AuthenticateContext &
  Pick<ApiOptions, 'log' | 'metrics'> & { ready(): Promise<HealthCheck[]> }

/** The interface for credentials: a JWT for a user name and password, and the keys that check it. */
export async function createThirdpartyAccessApi(context: ThirdpartyAccessContext): Promise<Api> {
  const { log, metrics, ready, ...effects } = context
  const api = await createApi({
    name: 'thirdparty-access',
    prefix: thirdpartyAccessPrefix,
    log,
    metrics,
    bodyBytesMax: thirdpartyAccessBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderAccessProblem,
    renderFault: renderAccessFault,
    openapi: {
      title: 'Despatch authentication service',
      description: 'Exchange a user name and password for the JWT that other services want.',
      version: '1.1.1',
    },
  })
  registerHealth(api, { ready, metrics })
  authenticate(api, effects)
  listSigningKeys(api, effects)
  return api
}
