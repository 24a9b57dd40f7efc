/** The only import of devtools-protocol: the types of commands and events, by method name. */
import type { Protocol } from 'devtools-protocol'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'

export type { Protocol }
export type Commands = ProtocolMapping.Commands
export type Events = ProtocolMapping.Events
export type Method = keyof Commands
export type EventName = keyof Events
export type Params<M extends Method> = Commands[M]['paramsType']
export type Returns<M extends Method> = Commands[M]['returnType']
