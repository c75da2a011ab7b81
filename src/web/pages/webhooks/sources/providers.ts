import type { Source } from '../../../data/sources.ts'

/** A service that posts, and what a person does there. */
interface Provider {
  readonly title: string
  /** Who makes the secret: this page suggests one of its own, or the service shows one once it has the URL. */
  readonly secretBy: 'us' | 'service' | 'nobody'
  /** What the secret is called there. */
  readonly secret: string
  /** Where the address goes, after “into”. */
  readonly where: string
}

export const PROVIDERS: Readonly<Record<Source['provider'], Provider>> = {
  stripe: {
    title: 'Stripe',
    secretBy: 'service',
    secret: 'signing secret (whsec_…)',
    where: 'Stripe: Developers, Webhooks, Add endpoint',
  },
  github: {
    title: 'GitHub',
    secretBy: 'us',
    secret: 'Secret',
    where:
      'GitHub: Settings of the repository, Webhooks, Add webhook. It is the Payload URL; the content type is application/json',
  },
  shopify: {
    title: 'Shopify',
    secretBy: 'service',
    secret: 'key below the list of webhooks',
    where: 'Shopify: Settings, Notifications, Webhooks, Create webhook',
  },
  slack: {
    title: 'Slack',
    secretBy: 'service',
    secret: 'Signing Secret under Basic Information',
    where: 'Slack: Event Subscriptions of your app, Request URL',
  },
  standard: {
    title: 'Standard Webhooks or Svix',
    secretBy: 'service',
    secret: 'signing secret (whsec_…)',
    where: 'the endpoints of the service',
  },
  hmac: {
    title: 'A signature in a header (HMAC)',
    secretBy: 'us',
    secret: 'key of the signature',
    where: 'the webhooks of the service',
  },
  bearer: {
    title: 'A token (Authorization: Bearer)',
    secretBy: 'us',
    secret: 'token',
    where: 'the webhooks of the service',
  },
  basic: {
    title: 'A user and a password',
    secretBy: 'us',
    secret: 'password',
    where: 'the webhooks of the service',
  },
  none: {
    title: 'Anything, unverified',
    secretBy: 'nobody',
    secret: '',
    where: 'the service; whoever knows the address can write',
  },
}

/** A secret of 192 random bits, for a service that takes one. */
export const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
