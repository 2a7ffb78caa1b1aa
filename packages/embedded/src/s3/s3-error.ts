const statuses = {
  InvalidURI: 400,
  InvalidArgument: 400,
  InvalidRequest: 400,
  InvalidDigest: 400,
  BadDigest: 400,
  XAmzContentSHA256Mismatch: 400,
  EntityTooLarge: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  PreconditionFailed: 412,
  InvalidRange: 416,
  RequestHeaderSectionTooLarge: 431,
  InternalError: 500,
} as const

export type S3ErrorCode = keyof typeof statuses

/** A refusal of a request, with its code in the API of Amazon S3. The message is sent to the caller. */
export class S3Error extends Error {
  readonly code: S3ErrorCode
  readonly status: number

  constructor(code: S3ErrorCode, message: string) {
    super(message)
    this.code = code
    this.status = statuses[code]
  }
}
