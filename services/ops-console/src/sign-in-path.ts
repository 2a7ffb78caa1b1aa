/** Returns the address of the sign-in page, which leads on to `path`. */
export function signInPath(path: string): string {
  return `/sign-in?next=${encodeURIComponent(path)}`
}
