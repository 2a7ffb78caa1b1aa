/** Where one signs in, to go on to the path. */
export function signInPath(path: string): string {
  return `/sign-in?next=${encodeURIComponent(path)}`
}
