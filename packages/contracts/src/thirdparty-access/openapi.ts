import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import * as changeApiKeyRequest from './change-api-key-request.ts'
import * as changePasswordRequest from './change-password-request.ts'
import {
  authenticate,
  changeApiKey,
  changePassword,
  listSigningKeys,
  requestRecoveryCode,
} from './operations.ts'
import * as problems from './problems.ts'

const signingKeys = listSigningKeys.schema.response[200]

export const thirdpartyAccessOpenApi = {
  examples: {
    values: exampleValues,
    problems: {
      401: { authenticate: 'wrong-credentials' },
      409: { changeApiKey: 'api-key-changing' },
    },
  },
  tags: { credentials: 'JWTs, passwords and API keys' },
  shapes: {
    ...shapesOf(changeApiKeyRequest, changePasswordRequest, problems),
    AccessError: problems.accessErrorsSchema.element,
    AuthenticateRequest: authenticate.schema.body,
    AuthenticateResponse: authenticate.schema.response[200],
    RecoveryCodeRequest: requestRecoveryCode.schema.body,
    Empty: changePassword.schema.response[200],
    ChangedApiKey: changeApiKey.schema.response[200],
    SigningKeys: signingKeys,
    SigningKey: signingKeys.shape.keys.element,
  },
} as const
