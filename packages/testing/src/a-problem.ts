/** The answer with this status and these errors, in the wrapper that the APIs share. */
export function aProblem<Member>(status: number, ...errors: Member[]) {
  return { status, body: { errors } }
}
