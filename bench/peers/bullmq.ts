import { servePeer } from './peer.ts'

servePeer({ web: 'bare-web.js', worker: 'bare-worker.js', queue: 'bullmq' })
