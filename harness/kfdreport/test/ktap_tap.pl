#!/usr/bin/perl
# Reads what `kfdreport ktap` writes by Perl's TAP::Parser, which knows one level: each level goes to it by itself.
# ktap_tap.pl KFDREPORT JUNIT PASSED FAILED SKIPPED: of the tests that have no tests below them.
use strict;
use warnings;

unless (eval { require TAP::Parser; 1 }) {
  print "skipped: no TAP::Parser\n";
  exit 77;
}

my ($kfdreport, $junit, @expected) = @ARGV;
open(my $pipe, '-|', $kfdreport, 'ktap', $junit) or die "$kfdreport: $!\n";
my @open;      # Lines of the levels that have begun, outermost first.
my @complete;  # Of those that have ended: [their lines, how many results have a level below].
my $parent = 0;
while (my $line = <$pipe>) {
  chomp $line;
  my ($indent, $text) = $line =~ /^( *)(.*)$/;
  my $depth = length($indent) / 2;
  if ($text eq 'KTAP version 1') {
    die "a level begins at depth $depth below " . scalar(@open) . "\n" unless $depth == @open;
    push @open, {lines => ['TAP version 13'], parents => {}};
    next;
  }
  if (@open > $depth + 1) {
    push @complete, pop @open;
    die "more than one level ends before: $line\n" if @open > $depth + 1;
    die "no result after a level: $line\n" unless $text =~ /^(?:not )?ok (\d+) /;
    $open[-1]{parents}{$1} = 1;
  }
  die "at depth $depth without a version line: $line\n" unless @open == $depth + 1;
  push @{$open[-1]{lines}}, $text;
}
close($pipe) or die "kfdreport ended with $?\n";
push @complete, pop @open while @open;

my @got = (0, 0, 0);
for my $level (@complete) {
  my $parser = TAP::Parser->new({tap => join("\n", @{$level->{lines}}) . "\n"});
  while (my $result = $parser->next) {
    die "not understood: " . $result->as_string . "\n" if $result->is_unknown;
    next if !$result->is_test || $level->{parents}{$result->number};
    ++$got[$result->has_skip ? 2 : $result->is_ok ? 0 : 1];
  }
  die "parse errors: " . join("; ", $parser->parse_errors) . "\n" if $parser->parse_errors;
  die "no plan\n" unless defined $parser->plan;
}
print "passed, failed, skipped: @got\n";
exit("@got" eq "@expected" ? 0 : 1);
