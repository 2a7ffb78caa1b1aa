export { ConsumerClient } from './consumer-client.ts'
export {
  type ApiProblem,
  DespatchError,
  type DespatchErrorDetails,
  type DespatchErrorKind,
} from './despatch-error.ts'
export { manifestDigestOf } from './manifest-digest.ts'
export type { Open } from './open.ts'
export type * from './print-job.ts'
export type * from './print-run.ts'
export { ProviderClient } from './provider-client.ts'
export type { CallOptions, ClientOptions, Method, Request } from './session.ts'
export type { TransferOptions } from './transfer.ts'
export type { FileSource, UploadOptions } from './upload-file.ts'
export {
  type CallbackHeaders,
  type CallbackMessage,
  type ReceivedCallback,
  verifyCallback,
} from './verify-callback.ts'
