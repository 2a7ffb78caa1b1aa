import type { Command, Option } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from './agree.ts'
import type { CommandContext } from './command-context.ts'
import { queryOf } from './commands/option.ts'
import { findConsumerId } from './find-consumer.ts'
import { findPrintJobKey } from './jobs/find-print-job-key.ts'
import {
  type AnswerOf,
  actionOf,
  addActionCommand,
  forRoles,
  type OperationId,
} from './operation.ts'
import type { CommandOutput, Parts } from './program.ts'
import type { Method, Session } from './session.ts'

/** A command that carries out one operation of the administration API. */
type OperationCommand<Id extends OperationId = OperationId> = {
  /** Its name and arguments. */
  usage: string
  operation: Id
  /** Method and path of the operation, below the API's version. The action of an operator declares it. */
  route?: `${Method} /${string}`
  /** What the command does. The action of an operator declares it. The required roles are added. */
  does?: string
  /** With `pageOptions`, the cursor of the next page follows the text. */
  options?: readonly Option[]
  /** Added to the help of the command. */
  help?: string
  /** The members of the request by the arguments and options that give them, where the names differ. */
  members?: MemberNames
  /**
   * Returns what the command gives if it is not just the arguments and options: asks for what is missing, and throws a
   * Failure on wrong usage. It runs before the sign-in.
   */
  give?(given: Given, context: CommandContext): object | Promise<object>
  /** Asked before the request is sent. */
  agree?: Agreeing
  /** Sends the requests of a command that requires others than the one of its operation. */
  send?(call: Call, given: Given): Promise<AnswerOf<Id>>
  /** Returns the text for people. The document of --json is the answer itself. */
  text(answer: AnswerOf<Id>, given: Given, call: Call): string | Promise<string>
  /** Follows the text and the cursor of the next page. */
  after?(answer: AnswerOf<Id>): string | undefined
}

/** The arguments and options of a command, by their names. */
type Given = Readonly<Record<string, unknown>>

/** A request that is about to be sent. */
export type Call = {
  session: Session
  context: CommandContext
  method: Method
  path: string
  /** The query of a GET, otherwise the body. */
  members: Record<string, unknown>
}

type Agreeing = Pick<Agreement, 'question' | 'otherwise'> & {
  /**
   * Returns what is about to happen: a text, or also its document and the members with which the request is sent once
   * agreed, such as the count.
   */
  describe(given: Given, call: Call): string | Described | Promise<Described>
  /** Whether the command asks at all. */
  isNeeded?(given: Given): boolean
}
export type Described = CommandOutput & { agreed?: object }

/** The name of a member, or also how its value is looked up. */
export type MemberNames = Readonly<
  Record<
    string,
    string | { member: string; find(session: Session, value: unknown): Promise<unknown> }
  >
>

const consumer = { member: 'consumerId', find: findConsumerId }

/** The names that every command gives to these members. */
export const ordinaryNames: MemberNames = {
  userName: consumer,
  consumer,
  job: { member: 'printJobKey', find: findPrintJobKey },
  provider: 'providerId',
}

/** The declarations of the commands, for tests. */
export const declarations = new WeakMap<Command, OperationCommand & { route: string }>()

export type Add = <Id extends OperationId>(declared: OperationCommand<Id>) => Command

/** Returns a function that adds commands below another. */
export function addingTo(parent: Command, parts: Pick<Parts, 'run' | 'context'>): Add {
  return (declared) => addOperationCommand(parent, declared, parts)
}

function addOperationCommand<Id extends OperationId>(
  parent: Command,
  declared: OperationCommand<Id>,
  { run, context }: Pick<Parts, 'run' | 'context'>,
): Command {
  const { usage, operation, does = '', options = [], help, agree } = declared
  const action = actionOf(operation)
  const { route = `POST ${action?.path ?? '/'}` } = declared
  const [method, path] = route.split(' ') as [Method, string]
  const command = action
    ? addActionCommand(parent, usage, action)
    : parent.command(usage).description(forRoles(operation, does))
  declarations.set(command, { ...(declared as unknown as OperationCommand), route })
  if (help) command.addHelpText('after', help)
  if (agree) addYesOption(command)
  for (const option of options) command.addOption(option)
  return command.action(async () => {
    const { yes, ...given } = { ...argumentsOf(command), ...command.opts() } as Given
    const giving = (await declared.give?.(given, context)) ?? given
    await run(async (session) => {
      const members = await membersOf(session, giving, declared.members)
      const call = { session, context, method, path: takePath(path, members), members }
      const refusal = agree && (await refusalOf(agree, command, { yes: yes === true, given, call }))
      if (refusal) return refusal
      const answer = await (declared.send?.(call, given) ?? sendCall<AnswerOf<Id>>(call))
      const text = await declared.text(answer, given, call)
      const paragraphs = [text, nextPage(command, answer), declared.after?.(answer)]
      return { document: answer, text: paragraphs.filter(Boolean).join('\n\n') }
    })
  })
}

function argumentsOf({ registeredArguments, processedArgs }: Command): Given {
  return Object.fromEntries(
    registeredArguments.map((argument, place) => [argument.name(), processedArgs[place]]),
  )
}

/** Returns the members of the request that arguments and options give. */
export async function membersOf(
  session: Session,
  given: object,
  names: MemberNames = {},
): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const named = names[name] ?? ordinaryNames[name] ?? name
    if (typeof named === 'string') members[named] = value
    else members[named.member] = await named.find(session, value)
  }
  return members
}

/** Returns the path with its parameters, and removes these from the members. */
function takePath(path: string, members: Record<string, unknown>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(members[name]))
    delete members[name]
    return value
  })
}

async function refusalOf(
  { question, otherwise, describe, isNeeded }: Agreeing,
  command: Command,
  { yes, given, call }: { yes: boolean; given: Given; call: Call },
): Promise<CommandOutput | undefined> {
  if (yes || isNeeded?.(given) === false) return undefined
  const describeCall = async () => {
    const described = await describe(given, call)
    if (typeof described === 'string') return { document: argumentsOf(command), text: described }
    const { agreed, ...output } = described
    Object.assign(call.members, agreed)
    return output
  }
  return refuseUnlessAgreed({ describe: describeCall, question, otherwise }, call.context)
}

/** Sends the request of the operation. */
export function sendCall<Answer>({ session, method, path, members }: Call): Promise<Answer> {
  if (Object.keys(members).length === 0) return session.send<Answer>(method, path)
  if (method !== 'GET') return session.send<Answer>(method, path, members)
  return session.send<Answer>(method, `${path}?${queryOf(members)}`)
}

function nextPage({ options }: Command, answer: unknown): string | undefined {
  const { nextCursor } = answer as { nextCursor?: string }
  const isPaged = options.some((option) => option.attributeName() === 'cursor')
  return isPaged && nextCursor ? `Next page: --cursor ${nextCursor}` : undefined
}
