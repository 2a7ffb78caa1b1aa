import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type TypesettingProcess = { pid: number; isRunning: boolean; processorSeconds: number }

/** Finds the processes in which a process typesets letters, whether each has a processor or waits for one, and what it has used. */
export async function typesettingProcesses(parent: number): Promise<TypesettingProcess[]> {
  const ps = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,time=,args='])
  return ps.stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, , , ...args]) => {
      return Number(ppid) === parent && args.some((arg) => arg.endsWith('/typesetting-process.ts'))
    })
    .map(([pid, , state, time]) => ({
      pid: Number(pid),
      isRunning: state!.startsWith('R'),
      processorSeconds: time!.split(':').reduce((sum, part) => 60 * sum + Number(part), 0),
    }))
}
