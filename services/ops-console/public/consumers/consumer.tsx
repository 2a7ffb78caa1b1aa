import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import type { ContractResponse } from '@despatch/contracts/administration/contract'
import type { VolumesResponse } from '@despatch/contracts/administration/volume'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Chip } from '../parts/chips.tsx'
import { Button, Card, Copyable, FactList, Head, Time } from '../parts/elements.tsx'
import { count, countOf, dayName, londonDate } from '../parts/format.ts'
import { Legend, Plot } from '../parts/plot.tsx'
import { askFirst } from '../parts/question.tsx'
import { beginReading, type Reading } from '../parts/reading.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { TableCard } from '../parts/table.tsx'
import { ContractChanges, readContractChanges } from './contract-changes.tsx'
import { editButton } from './contract-edit.tsx'
import { refusals } from './contract-terms.ts'
import { Keys, type KeysProps } from './keys.tsx'
import { planButton } from './plan.tsx'
import { TestMessage } from './test-message.tsx'
import { UsageCard } from './usage.tsx'

type Consumer = ConsumerDetailsResponse
type Usage = ConsumerUsageResponse

const volumeDays = 30
const dayMs = 86_400_000

/** What the page shows of a consumer. It is read until it is there, and again after an action. */
type ConsumerReadings = {
  consumer: Reading<Consumer>
  usage: Reading<Usage>
  volumes: Reading<VolumesResponse>
}

export function beginConsumer(consumerId: string): ConsumerReadings {
  const path = pathOf(consumerId)
  const mayChange = () => false
  const to = londonDate(new Date())
  const from = londonDate(new Date(Date.now() - (volumeDays - 1) * dayMs))
  return {
    consumer: beginReading({
      read: () => ask<Consumer>('GET', path),
      standing: ({ userName }) => `Consumer ${userName}.`,
      mayChange,
    }),
    usage: beginReading({ read: () => ask<Usage>('GET', `${path}/usage`), mayChange }),
    volumes: beginReading({
      read: () => ask<VolumesResponse>('GET', withQuery('/volumes', { from, to, consumerId })),
      mayChange,
    }),
  }
}

function pathOf(consumerId: string): string {
  return `/consumers/${encodeURIComponent(consumerId)}`
}

/** One consumer: how much it sends, how near it is to its limits, its contracts and its credentials. */
export function ConsumerPage({ consumer, usage, volumes }: ConsumerReadings) {
  const shown = consumer.facts()
  const path = shown && pathOf(shown.consumerId)
  useEffect(() => {
    if (path) void attempt(() => readContractChanges(path))
  }, [path])
  const used = usage.facts()
  const againWithUsage = () => Promise.all([consumer.again(), usage.again()])
  const crumbs = [{ path: '/consumers', title: 'Consumers' }]
  if (!shown || !path) {
    return (
      <>
        <Head title="Consumer" crumbs={crumbs} />
        {consumer.absent('Consumer')}
      </>
    )
  }
  const place = { consumer: shown, path, again: consumer.again }
  return (
    <>
      <Head
        title={shown.name}
        crumbs={crumbs}
        beside={
          <>
            <Copyable value={shown.userName} name="user name" />
            <Chip
              look={
                shown.disabledAt
                  ? ['deleted', 'warn', ['Disabled ', <Time at={shown.disabledAt} />]]
                  : ['despatched', 'ok', 'May call']
              }
              isBig
            />
          </>
        }
        tools={toolsOf(shown, path, consumer.again)}
      />
      <div class="stack">
        <LettersADay consumerId={shown.consumerId} volumes={volumes} />
        {used ? (
          <UsageCard usage={used}>{planButton(shown, path, againWithUsage)}</UsageCard>
        ) : (
          usage.absent('Use against plan')
        )}
        <Contracts {...place} />
        <ContractChanges path={path} />
        <div class="cols">
          <Keys {...place} />
          <TestMessage path={path} />
        </div>
        <ConsumerFacts consumer={shown} />
      </div>
    </>
  )
}

function toolsOf(shown: Consumer, path: string, again: () => Promise<void>): JSX.Element[] {
  const { consumerId } = shown
  const links = [
    <a class="btn" href={withQuery('/print-jobs', { consumerId })}>
      Its letters
    </a>,
    <a class="btn" href={withQuery('/callbacks', { consumerId })}>
      Its callbacks
    </a>,
    <a class="btn" href={withQuery('/audit', { consumerId })}>
      Audit
    </a>,
  ]
  const name = shown.disabledAt ? 'enable' : 'disable'
  const whyNot = whyNotForMe(name === 'enable' ? 'enableConsumer' : 'disableConsumer')
  if (whyNot !== null) return links
  const isDisabling = name === 'disable'
  const verb = isDisabling ? 'Disable' : 'Enable'
  const change = () =>
    askFirst({
      title: `${verb} ${shown.name}?`,
      button: `${verb} 1 consumer`,
      isDanger: isDisabling,
      points: isDisabling
        ? [
            'Every request of it is refused from now on, and its sessions end.',
            'Its letters and callbacks continue. An admin can enable it again.',
          ]
        : ['Its password and API key work again. It needs a new token.'],
      onSend: async () => {
        await ask('POST', `${path}/${name}`)
        return { done: `Done: ${shown.name} is ${name}d.`, again }
      },
    })
  return [
    ...links,
    <Button onClick={change} look={isDisabling ? 'warns' : ''}>
      {verb}…
    </Button>,
  ]
}

type LettersADayProps = { consumerId: string; volumes: Reading<VolumesResponse> }

function LettersADay({ consumerId, volumes }: LettersADayProps) {
  const answer = volumes.facts()
  if (!answer) return volumes.absent('Letters a day')
  const days = Array.from({ length: volumeDays }, (_, index) =>
    londonDate(new Date(Date.parse(`${answer.from}T12:00:00Z`) + index * dayMs)),
  )
  const sum = (day: string, name: 'accepted' | 'rejected') =>
    answer.volumes.reduce((total, row) => (row.period === day ? total + row[name] : total), 0)
  const accepted = days.map((day) => sum(day, 'accepted'))
  const rejected = days.map((day) => sum(day, 'rejected'))
  const { total } = answer
  return (
    <Card
      title="Letters a day"
      meta={`${volumeDays} days, ${count(total.accepted)} accepted, ${count(total.letters)} despatched`}
      isPadded
    >
      <Plot
        label={`In ${volumeDays} days, ${count(total.accepted)} letters were accepted and ${count(total.rejected)} rejected.`}
        kind="bars"
        x={days.map((_, index) => index)}
        series={[
          { name: 'Accepted', ink: 'in', values: accepted },
          { name: 'Rejected', ink: 'bad', values: rejected },
        ]}
        nameOf={(index) => (days[index] ? dayName(days[index]) : '')}
        pathOf={(index) =>
          withQuery('/print-jobs', {
            consumerId,
            createdFrom: days[index],
            createdTo: days[index],
          })
        }
      />
      <Legend
        entries={[
          { name: 'Accepted', ink: 'in', value: total.accepted },
          { name: 'Rejected', ink: 'bad', value: total.rejected },
        ]}
      />
    </Card>
  )
}

function Contracts({ consumer: { contracts }, path, again }: KeysProps) {
  const onSaved = () => Promise.all([again(), readContractChanges(path)])
  const retired = contracts.filter(({ retiredAt }) => retiredAt).length
  return (
    <TableCard
      title="Contracts"
      meta={`${count(contracts.length - retired)} in use${retired > 0 ? `, ${count(retired)} retired` : ''}`}
      columns={[
        'Job type / template',
        { name: 'Production', class: 'p2' },
        { name: 'Paper', class: 'p2' },
        { name: 'Pages at most', class: 'num p3' },
        { name: 'Callbacks', class: 'p3' },
        { name: 'Refuses', class: 'p3' },
        { name: 'Retention', class: 'num p2' },
        'State',
        { name: 'Action', class: 'act', isHidden: true },
      ]}
      rows={contracts.map((contract) => [
        `${contract.jobType} / ${contract.templateReference}`,
        [
          contract.production === 'letter' ? 'Letter' : 'As supplied',
          contract.holdForApproval && <span class="sub">held until released</span>,
        ],
        `${contract.stationery}, ${contract.plex}, ${contract.colour ? 'colour' : 'black'}`,
        count(contract.pagesMax),
        [
          [...contract.callbackStatuses, ...(contract.callbackReturns ? ['returns'] : [])].join(
            ', ',
          ) || 'none',
          <span class="sub">
            order: {contract.callbackOrder}, {contract.callbackConcurrency} at once
          </span>,
        ],
        refusedBy(contract),
        contract.retentionDays ? countOf(contract.retentionDays, 'day') : 'default',
        <Chip
          look={
            contract.retiredAt
              ? ['deleted', '', ['Retired ', <Time at={contract.retiredAt} />]]
              : ['despatched', 'ok', 'In use']
          }
        />,
        editButton({ path, contract, onSaved }),
      ])}
      empty="No contracts. An admin creates one with npx despatch contracts put."
    />
  )
}

function refusedBy(contract: ContractResponse): string {
  const rules = contract.strict ? ['strict'] : contract.refusedRules
  const others = refusals.flatMap(([term, label]) => {
    const choice = contract[term]
    if (choice === 'report') return []
    return choice === 'refuse' ? [label.toLowerCase()] : [`${label.toLowerCase()} from ${choice}`]
  })
  return [...rules, ...others].join(', ') || '–'
}

function ConsumerFacts({ consumer: shown }: { consumer: Consumer }) {
  return (
    <Card title="Facts" isPadded>
      <FactList
        of={{
          'User name': <Copyable value={shown.userName} name="user name" />,
          Id: <Copyable value={shown.consumerId} name="consumer id" shownMax={20} />,
          Roles: shown.roles.join(', '),
          Services: shown.services.join(', ') || 'none',
          'May call from': shown.networks.join(', ') || 'everywhere',
          Provider: shown.providerId && (
            <a href={withQuery('/print-runs', { providerId: shown.providerId })}>
              {shown.providerId}
            </a>
          ),
          'E-mail': shown.email,
          Created: <Time at={shown.createdAt} />,
        }}
      />
    </Card>
  )
}
