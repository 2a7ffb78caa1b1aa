import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { environmentOfTools } from './start-despatch.ts'

/** A callback as its receiver has it. An absent header is undefined. */
export type Received = {
  headers: Readonly<Record<string, string | undefined>>
  body: string
}
export type Question = Received & {
  secrets: readonly string[]
  /** The receiver's clock, in seconds since 1970. */
  now: number
}

/** How to run the verifier of a language. `ask` returns one line for each question: `true`, `false` or an error. */
export type Verifier = { file: string; needs: readonly string[]; ask: Ask }
type Ask = (questions: readonly Question[]) => string[]

const examples = resolve(import.meta.dirname, '../../docs/examples/callbacks')

/** Asks `verify`, which a part of the program defines, about each line. */
const inNode = (definition: string) => `
import { createInterface } from 'node:readline'
${definition}
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
for await (const line of createInterface({ input: process.stdin })) {
  const fields = line.split('\\t').map((field) => (field === '-' ? undefined : Buffer.from(field, 'base64')))
  const [body, secrets, now, ...values] = fields
  const headers = Object.fromEntries(names.map((name, index) => [name, values[index]?.toString()]))
  console.log(await verify({ headers, body, secrets: secrets.toString().split(' '), nowSeconds: Number(now) }))
}
`

const javascript = inNode(`
import { isFromDespatch } from ${JSON.stringify(join(examples, 'verify-callback.mjs'))}

async function verify({ headers, body, secrets, nowSeconds }) {
  try {
    return isFromDespatch(headers, body, secrets, nowSeconds)
  } catch (error) {
    return error.constructor.name
  }
}
`)

const client = inNode(`
import { verifyCallback } from '@despatch/client/verify-callback'

const verify = (received) => verifyCallback(received).then(
  () => true,
  ({ kind, name }) => (kind === 'not-verified' ? false : name),
)
`)

/** Answers like the function of the example. */
const definedByClient = `
from despatch_client import DespatchError, verify_callback

def is_from_despatch(headers, body, secrets, now):
    try:
        return verify_callback(headers, body, secrets, now=now) is not None
    except DespatchError as error:
        if error.kind == "not-verified":
            return False
        raise
`

const python = `
import base64, sys
sys.path.insert(0, ${JSON.stringify(examples)})
from verify_callback import is_from_despatch

names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
for line in sys.stdin:
    fields = [None if field == "-" else base64.b64decode(field) for field in line.rstrip("\\n").split("\\t")]
    body, secrets, now = fields[:3]
    headers = {name: value.decode() for name, value in zip(names, fields[3:]) if value is not None}
    try:
        print(str(is_from_despatch(headers, body, secrets.decode().split(" "), int(now))).lower())
    except Exception as error:
        print(type(error).__name__)
`

const pythonClient = python
  .replace(
    JSON.stringify(examples),
    JSON.stringify(resolve(import.meta.dirname, '../../clients/python')),
  )
  .replace('from verify_callback import is_from_despatch', definedByClient)

const java = `
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.*;

public class Ask {
  public static void main(String[] arguments) throws Exception {
    var names = List.of("webhook-id", "webhook-timestamp", "webhook-signature");
    var lines = new Scanner(System.in, "UTF-8");
    while (lines.hasNextLine()) {
      String[] fields = lines.nextLine().split("\\t", -1);
      byte[] body = Base64.getDecoder().decode(fields[0]);
      var secrets = List.of(text(fields[1]).split(" ", -1));
      var now = Instant.ofEpochSecond(Long.parseLong(text(fields[2])));
      try {
        System.out.println(VerifyCallback.isFromDespatch(
            name -> fields[3 + names.indexOf(name)].equals("-") ? null : text(fields[3 + names.indexOf(name)]),
            body, secrets, now));
      } catch (Exception error) {
        System.out.println(error.getClass().getSimpleName());
      }
    }
  }

  private static String text(String field) {
    return new String(Base64.getDecoder().decode(field), StandardCharsets.UTF_8);
  }
}
`

export const verifiers: readonly Verifier[] = [
  {
    file: 'verify-callback.mjs',
    needs: [process.execPath],
    ask: (questions) => run(process.execPath, ['--input-type=module', '-e', javascript], questions),
  },
  {
    file: 'verify_callback.py',
    needs: ['python3'],
    // -B: writes no compiled file beside the example
    ask: (questions) => run('python3', ['-B', '-c', python], questions),
  },
  { file: 'VerifyCallback.java', needs: ['javac', 'java'], ask: askJava },
]

/** What the client libraries do with a callback. They parse its body, so that an empty one is an error. */
export const clientVerifiers: readonly Verifier[] = [
  {
    file: 'packages/client',
    needs: [process.execPath],
    ask: (questions) => run(process.execPath, ['--input-type=module', '-e', client], questions),
  },
  {
    file: 'clients/python',
    needs: ['python3'],
    ask: (questions) => run('python3', ['-B', '-c', pythonClient], questions),
  },
]

/** Returns false if this machine lacks a program that the verifier needs. */
export function isThere(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
}

function askJava(questions: readonly Question[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'despatch-verify-'))
  try {
    const source = join(directory, 'Ask.java')
    writeFileSync(source, java)
    run('javac', [
      '-encoding',
      'UTF-8',
      '-d',
      directory,
      join(examples, 'VerifyCallback.java'),
      source,
    ])
    return run('java', ['-Dfile.encoding=UTF-8', '-cp', directory, 'Ask'], questions)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function run(
  command: string,
  commandArguments: readonly string[],
  questions: readonly Question[] = [],
): string[] {
  const input = questions.map((question) => `${lineOf(question)}\n`).join('')
  const { status, stdout, stderr } = spawnSync(command, commandArguments, {
    input,
    env: environmentOfTools(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout.split(/\r?\n/).slice(0, -1)
}

function lineOf({ headers, body, secrets, now }: Question): string {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const values = [body, secrets.join(' '), String(now), ...names.map((name) => headers[name])]
  return values
    .map((value) => (value === undefined ? '-' : Buffer.from(value).toString('base64')))
    .join('\t')
}
