/** What the provider's client is given to sign in with. The kit accepts exactly these. */
export type ConformanceCredentials = { userName: string; password: string; apiKey: string }
