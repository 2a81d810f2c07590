import { parentPort, workerData } from 'node:worker_threads';
import { runShare, type Share } from './campaign.ts';

parentPort?.postMessage(await runShare(workerData as Share), []);
