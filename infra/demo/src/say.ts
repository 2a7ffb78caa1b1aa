import { styleText } from 'node:util'

const colours = {
  despatch: 'cyan',
  consumer: 'blue',
  provider: 'magenta',
  callback: 'green',
} as const

/** Prints one line of the story: when, who, what. Details go below it. */
export function say(
  actor: keyof typeof colours,
  text: string,
  details: readonly string[] = [],
): void {
  const seconds = (performance.now() / 1000).toFixed(1).padStart(5)
  const who = styleText(colours[actor], actor.padEnd(8))
  print(`${seconds} s  ${who}  ${text}`, ...details.map((detail) => `${' '.repeat(19)}${detail}`))
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
