/** The credentials of the provider's client. The kit accepts exactly these. */
export type ConformanceCredentials = { userName: string; password: string; apiKey: string }
