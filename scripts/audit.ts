// Audits the lockfile. Fails if a package that a deployment installs has an advisory of high or critical severity.
import { auditLockfile } from './audit-lockfile.ts'

const { verdict, text } = await auditLockfile()
console.log(text)
process.exitCode = verdict === 'failed' ? 1 : 0
