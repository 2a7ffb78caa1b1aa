import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type TypesettingProcess = { pid: number; isRunning: boolean }

/** Finds the processes in which a process typesets letters, and whether each has a processor or waits for one. */
export async function typesettingProcesses(parent: number): Promise<TypesettingProcess[]> {
  const ps = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='])
  return ps.stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, , ...args]) => {
      return Number(ppid) === parent && args.some((arg) => arg.endsWith('/typesetting-process.ts'))
    })
    .map(([pid, , state]) => ({ pid: Number(pid), isRunning: state!.startsWith('R') }))
}
