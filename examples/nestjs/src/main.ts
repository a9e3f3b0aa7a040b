import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { plinth } from '@plinth/hosts/express';
import { MEDIA, MediaModule } from './media.module.js';
import { PagesController } from './pages.controller.js';

@Module({ imports: [MediaModule], controllers: [PagesController] })
class AppModule {}

const nest = await NestFactory.create(AppModule);
// An exit lets the last lines of the log out, which a signal would not.
nest.enableShutdownHooks([], { useProcessExit: true });
// Before `listen`, which puts the body parsers in place: Plinth reads its bodies itself.
nest.use('/ai', plinth(nest.get(MEDIA)));
await nest.listen(process.env.PORT ?? 3000, '127.0.0.1');
console.log(`Listening at ${await nest.getUrl()}`);
