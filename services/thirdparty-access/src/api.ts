import type { AuthenticateCaller } from '@despatch/access/authenticate-caller'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { thirdpartyAccessOpenApi } from '@despatch/contracts/thirdparty-access/openapi'
import {
  thirdpartyAccessBytesMax,
  thirdpartyAccessPrefix,
  thirdpartyAccessSecuritySchemes,
} from '@despatch/contracts/thirdparty-access/operations'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import type { ListenOptions } from '@despatch/http/listen-options'
import { type AuthenticateContext, authenticate } from './operations/authenticate.ts'
import { type ChangeApiKeyContext, changeApiKey } from './operations/change-api-key.ts'
import { type ChangePasswordContext, changePassword } from './operations/change-password.ts'
import { listSigningKeys } from './operations/list-signing-keys.ts'
import {
  type RequestRecoveryCodeContext,
  requestRecoveryCode,
} from './operations/request-recovery-code.ts'

export type ThirdpartyAccessContext = AuthenticateContext &
  ChangePasswordContext &
  RequestRecoveryCodeContext &
  ChangeApiKeyContext &
  Pick<ApiOptions, 'log' | 'metrics' | 'limit'> & {
    listen?: ListenOptions
    authenticateCaller: AuthenticateCaller
    ready(): Promise<HealthCheck[]>
  }

/**
 * Creates the API for credentials: it issues a JWT for a user name and password, and changes passwords and API keys.
 */
export async function createThirdpartyAccessApi(context: ThirdpartyAccessContext): Promise<Api> {
  const { log, metrics, limit, listen, authenticateCaller, ready, ...effects } = context
  const api = await createApi({
    ...listen,
    name: 'thirdparty-access',
    prefix: thirdpartyAccessPrefix,
    log,
    metrics,
    bodyBytesMax: thirdpartyAccessBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderAccessProblem,
    renderFault: renderAccessFault,
    authenticate: (headers, source) => authenticateCaller(headers, source, { fresh: true }),
    ...(limit && { limit }),
    openapi: {
      ...thirdpartyAccessOpenApi,
      title: 'Despatch authentication service',
      description:
        'Exchange a user name and password for the JWT that other services require. Change the password and the API key.',
      version: interfaceVersions['thirdparty-access'],
      securitySchemes: thirdpartyAccessSecuritySchemes,
    },
  })
  registerHealth(api, { ready, metrics })
  authenticate(api, effects)
  changePassword(api, effects)
  requestRecoveryCode(api, effects)
  changeApiKey(api, effects)
  listSigningKeys(api, effects)
  return api
}
